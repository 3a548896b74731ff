import { CLUSTER_READER, type ClusterReader } from '@curtail/clusters';
import { defaultPartition, nearestOf, partitionOption, placeOptions } from '@curtail/contracts';
import { ProblemException } from '@curtail/platform';
import { OPERATOR_DATABASE } from '@curtail/runtime';
import { answerWithin } from '@curtail/waiting';
import { Inject, Injectable } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { z } from 'zod';

interface Place {
  partition: string;
  queue?: string | undefined;
}

/** A command on a place, as its refusal words it. */
interface Verb {
  /** `curtail stop`. */
  command: 'stop' | 'freeze';
  done: 'stopped' | 'frozen';
}

/** A field of a command: the caller means a place that is added later. */
export const allowUnknown = z
  .boolean()
  .default(false)
  .describe('true: also a queue or a partition that does not exist yet. Otherwise it is refused.');

/** The cluster is read over connections that others may have taken; a stop does not wait for them. */
const workWithinMs = 1000;
/** More are not searched for the one that was meant. */
const mostNames = 20_000;

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
   * @throws ProblemException 404 with the name that may be meant, unless the place may be unknown.
   */
  async check(
    { partition, queue, allowUnknown }: Place & { allowUnknown: boolean },
    verb: Verb,
  ): Promise<boolean> {
    const [row] = await this.db.query<[{ configured: boolean; partition: boolean }]>(
      `SELECT EXISTS (SELECT 1 FROM queues WHERE partition = $1 AND ($2::text IS NULL OR path = $2)) AS configured,
              EXISTS (SELECT 1 FROM queues WHERE partition = $1 UNION ALL SELECT 1 FROM partitions WHERE partition = $1
                      UNION ALL SELECT 1 FROM partition_modes WHERE partition = $1) AS partition`,
      [partition, queue ?? null],
    );
    const { configured } = row;
    const isPartition = row.partition || partition === defaultPartition;
    const isWhole = queue === undefined || (queue === 'root' && row.partition);
    if (allowUnknown || configured || (isPartition && isWhole)) return configured;
    if (await this.hasWork(partition, queue ?? 'root')) return configured;
    if (isPartition) throw await this.unknownQueue(partition, queue!, verb);
    throw await this.unknownPartition({ partition, queue }, verb);
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

  private async unknownQueue(partition: string, queue: string, { command, done }: Verb) {
    const rows = await this.db.query<{ path: string }[]>(
      `SELECT path FROM queues WHERE partition = $1 ORDER BY path LIMIT ${mostNames}`,
      [partition],
    );
    const paths = rows.map(({ path }) => path);
    // The last part of a path may be given alone.
    const meant = nearestOf(queue, paths) ?? only(paths.filter((path) => path.endsWith(`.${queue}`)));
    const like = (path: string) => `curtail ${command}${placeOptions(partition, path)}`;
    const added = `for one that is added later, use ${like(queue)} --allow-unknown`;
    return new ProblemException({
      code: 'unknown-queue',
      title: 'There is no such queue',
      status: 404,
      detail: `Partition ${partition} has no queue ${queue}: nothing was ${done}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
      remedy:
        meant === undefined
          ? `List the queues with curtail get queues${partitionOption(partition)}; ${added}`
          : `Use ${like(meant)}; ${added}`,
    });
  }

  private async unknownPartition({ partition, queue }: Place, { command, done }: Verb) {
    const rows = await this.db.query<{ partition: string }[]>(
      `SELECT partition FROM partitions ORDER BY partition LIMIT ${mostNames}`,
    );
    const meant = nearestOf(
      partition,
      rows.map((row) => row.partition),
    );
    return new ProblemException({
      code: 'unknown-partition',
      title: 'There is no such partition',
      status: 404,
      detail: `There is no partition ${partition}: nothing was ${done}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
      remedy: `${meant === undefined ? 'List them with curtail get partitions' : `Use curtail ${command}${placeOptions(meant, queue)}`}; for one that is added later, use curtail ${command}${placeOptions(partition, queue)} --allow-unknown`,
    });
  }
}

const only = (names: readonly string[]): string | undefined => (names.length === 1 ? names[0] : undefined);
