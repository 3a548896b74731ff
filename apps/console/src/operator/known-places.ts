import { Inject, Injectable } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { CLUSTER_READER, type ClusterReader, unknownPlace } from '#clusters';
import { defaultPartition, InputError, partitionOptionText, placeOptions } from '#contracts';
import { partitionName, queuePath } from '#contracts/events';
import { ProblemException } from '#platform';
import { OPERATOR_DATABASE } from '#runtime';
import { answerWithin } from '#waiting';
import { knownPlace } from './statements.js';

interface Place {
  partition: string;
  queue?: string | undefined;
}

/** A command on a place, as its refusal words it. */
interface Verb {
  /** `curtail stop`. */
  command: 'stop' | 'freeze' | 'mode observe' | 'mode enforce';
  done: 'stopped' | 'frozen' | 'set';
}

/** A field of a command: the caller means a place that is added later. */
export const allowUnknown = z
  .boolean()
  .default(false)
  .describe('true: also a queue or a partition that does not exist yet. Otherwise it is refused.');

/** The cluster is read over connections that others may have taken; a stop does not wait for them. */
const workWithinMs = 1000;

/** Whether a command names something that exists. Otherwise everyone would believe that a misspelt stop is in force. */
@Injectable()
export class KnownPlaces {
  constructor(
    @Inject(OPERATOR_DATABASE) private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
  ) {}

  /**
   * A queue of a template or a placement rule is in no configuration: it exists if it has work in the cluster, and also if the cluster does
   * not answer soon, since nothing may hinder a stop.
   *
   * @returns whether the configuration in force has it.
   * @throws ProblemException 404 with the name that may be meant, unless the place may be unknown; InputError for an unknown place with a name
   *   that nothing could have later.
   */
  async check(
    { partition, queue, allowUnknown }: Place & { allowUnknown: boolean },
    verb: Verb,
  ): Promise<boolean> {
    const [row] = await knownPlace(this.db, partition, queue ?? null);
    const { configured } = row;
    const isPartition = row.partition || partition === defaultPartition;
    const isWhole = queue === undefined || (queue === 'root' && row.partition);
    if (configured || (isPartition && isWhole)) return configured;
    // Without root it is a slip, for which the refusal has a suggestion.
    const isSlip = !allowUnknown && queuePath.safeParse(`root.${queue}`).success;
    assertPossible({ partition: isPartition ? undefined : partition, queue: isSlip ? undefined : queue });
    if (allowUnknown) return configured;
    if (await this.hasWork(partition, queue ?? 'root')) return configured;
    throw await this.refusal(
      { partition, queue: isPartition ? queue : undefined },
      { partition, queue },
      verb,
    );
  }

  private async hasWork(partition: string, queue: string): Promise<boolean> {
    try {
      const usage = await answerWithin(workWithinMs, () => this.cluster.usage(partition, [queue]));
      const used = usage.get(queue);
      return Object.keys(used?.usage ?? {}).length > 0;
    } catch {
      return true;
    }
  }

  /** @param given the whole place of the command. */
  private async refusal(place: Place, given: Place, { command, done }: Verb): Promise<ProblemException> {
    const { missing, title, sentence, meant, hint } = await unknownPlace(this.db, place);
    const like = ({ partition, queue }: Place) => `curtail ${command}${placeOptions(partition, queue)}`;
    const right =
      meant !== undefined
        ? `Use ${like({ ...given, [missing]: meant })}`
        : `List them with curtail get ${missing}s${missing === 'queue' ? partitionOptionText(given.partition) : ''}`;
    return new ProblemException({
      code: `unknown-${missing}`,
      title,
      status: 404,
      detail: `${sentence}: nothing was ${done}.${hint}`,
      remedy: `${right}; for one that is added later, use ${like(given)} --allow-unknown`,
      ...(meant !== undefined && { meant }),
    });
  }
}

/**
 * A command of an unknown place makes it known, for good: to lists, the status and other commands.
 *
 * @throws InputError for a name that nothing could have later.
 */
function assertPossible({ partition, queue }: Partial<Place>): void {
  for (const [field, name, rule] of [
    ['partition', partition, partitionName],
    ['queue', queue, queuePath],
  ] as const) {
    const fault = name === undefined ? undefined : rule.safeParse(name).error?.issues[0];
    if (fault) throw new InputError(field, fault.message);
  }
}
