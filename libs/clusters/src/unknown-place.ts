import type { DataSource, EntityManager } from 'typeorm';
import { defaultPartition, InputError, meantQueue, nearestOf, partitionOptionText } from '#contracts';
import { ProblemException } from '#platform';
import { knownPartitions, pathsInForce } from './planning-view/in-force.js';

interface Place {
  partition: string;
  queue?: string | undefined;
}

/** What does not exist of a place that a request names. */
export interface UnknownPlace {
  missing: 'partition' | 'queue';
  title: string;
  /** Without a full stop. */
  sentence: string;
  /** The name that may be meant. */
  meant: string | undefined;
  /** A sentence after a space: the name that may be meant, or the partitions there are; or empty. */
  hint: string;
}

/** More are not searched for the one that was meant. */
const mostNames = 20_000;
const named = 5;

type Db = DataSource | EntityManager;

/** @param place its queue, or without one its partition, is not in the configuration in force. */
export async function unknownPlace(db: Db, { partition, queue }: Place): Promise<UnknownPlace> {
  const partitions = await knownPartitions(db, mostNames);
  if (queue === undefined || !isKnown(partition, partitions)) {
    const meant = nearestOf(partition, partitions);
    return {
      missing: 'partition',
      title: 'There is no such partition',
      sentence: `There is no partition ${partition}`,
      meant,
      hint: meant === undefined ? thereAre(partitions) : ` Did you mean ${meant}?`,
    };
  }
  const paths = await pathsInForce(db, partition, mostNames);
  const meant = paths.includes(queue) ? undefined : meantQueue(queue, paths);
  return {
    missing: 'queue',
    title: 'There is no such queue',
    sentence: `There is no queue ${queue} in partition ${partition}`,
    meant,
    hint: meant === undefined ? '' : ` Did you mean ${meant}?`,
  };
}

/** 404 for a queue that the configuration in force does not have, or for its partition, with the name that may be meant. */
export async function unknownQueue(db: Db, partition: string, queue: string): Promise<ProblemException> {
  return refusal(await unknownPlace(db, { partition, queue }), partition);
}

/** 404 for a partition, with the name that may be meant. */
export async function unknownPartition(db: Db, partition: string): Promise<ProblemException> {
  return refusal(await unknownPlace(db, { partition }), partition);
}

/** @throws ProblemException 404 for a partition that nothing is known of, with the name that may be meant. */
export async function assertPartition(db: Db, partition: string): Promise<void> {
  if (!isKnown(partition, await knownPartitions(db, mostNames))) throw await unknownPartition(db, partition);
}

function refusal({ missing, title, sentence, meant, hint }: UnknownPlace, partition: string) {
  return new ProblemException({
    code: `unknown-${missing}`,
    title,
    status: 404,
    detail: `${sentence}.${hint}`,
    remedy: `List them: curtail get ${missing === 'queue' ? `queues${partitionOptionText(partition)}` : 'partitions'}`,
    ...(meant !== undefined && { meant }),
  });
}

/** The default partition is there before the first configuration. */
const isKnown = (partition: string, partitions: readonly string[]) =>
  partition === defaultPartition || partitions.includes(partition);

function thereAre(partitions: readonly string[]): string {
  if (partitions.length === 0) return '';
  const more = partitions.length > named ? ', …' : '';
  return ` There ${partitions.length === 1 ? 'is' : 'are'} ${partitions.slice(0, named).join(', ')}${more}.`;
}

/** A snapshot would have more allocations than one plan may read. */
export class TooManyAllocations extends InputError {
  constructor(partition: string, queue: string, most: number) {
    super(
      'allocations',
      `${queue} of partition ${partition} has more than ${most} allocations, the most that one plan may read: raise CURTAIL_MOST_ALLOCATIONS and the memory of the services, or split the queue`,
    );
  }
}
