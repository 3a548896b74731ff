import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CLUSTER_READER, type ClusterReader } from '#clusters';
import type { Resources } from '#contracts';
import type { EnforcementView, PartitionView, QueueAbove } from '#contracts/api';
import { type ClockState, needsPerson, whyAbove } from '#enforcement';
import { READER_DATABASE } from '#runtime';
import { type Limited, limitedQueues } from '../queries/queue-statements.js';
import { aboveQuota } from '../queries/queues.js';
import { byPartition } from '../waiting/for-someone.js';
import { clocksOf, statesOf } from '../waiting/statements.js';
import { Waiting } from '../waiting/waiting.js';

/** A queue above its quota, and by how much. */
interface Above {
  partition: string;
  queue: string;
  over: Resources;
}

/** The queues of one partition that are above their quotas: the first ones, and how many there are. */
export interface AboveInPartition {
  count: number;
  first: QueueAbove[];
}

/** Queues whose usage is read with one statement. */
const pageSize = 5000;

/** Finds the queues that use more than their quota, and why: with the same statements for any number of partitions. */
@Injectable()
export class QueuesAbove {
  constructor(
    @Inject(READER_DATABASE) private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
    private readonly waiting: Waiting,
  ) {}

  /**
   * Those that need a person come first, however many others there are.
   *
   * @param runs those of the partitions that have not ended.
   * @param first how many of each partition to return; all are counted.
   * @param at by the clock of the database.
   * @param signal ends it between two statements.
   * @returns by partition.
   */
  async of(
    views: readonly PartitionView[],
    runs: readonly EnforcementView[],
    { first, at, signal }: { first: number; at: string; signal?: AbortSignal | undefined },
  ): Promise<Map<string, AboveInPartition>> {
    const above = await this.above(
      views.map(({ partition }) => partition),
      signal,
    );
    const [states, clocks] = await Promise.all([this.states(above), this.clocks(above)]);
    signal?.throwIfAborted();
    const holdsOf = await this.waiting.clockHolds(clocks, at, above);
    const runWaits = new Map(runs.map(({ enforcement, waiting }) => [enforcement, waiting?.message]));
    const explained = byPartition(above, (row) => row);
    return new Map(
      views.map((view) => {
        const all = (explained.get(view.partition) ?? []).map(({ partition, queue, over }): QueueAbove => {
          const state = states.get(keyOf(partition, queue));
          const held = holdsOf({ partition, queue, dueAt: state?.pending?.dueAt });
          const holds = {
            ...held,
            stop: held.stop,
            runWaits: state?.running && runWaits.get(state.running.enforcement),
            nodeLabels: view.nodeLabels,
            enabled: view.quotaPreemptionEnabled ?? false,
            observed: view.mode === 'observe',
          };
          const { code, message, enforcement, blocked } = whyAbove(state, over, holds, at);
          return {
            queue,
            above: over,
            code,
            reason: message,
            enforcement: enforcement ?? null,
            ...(blocked !== undefined && { blocked }),
          };
        });
        const others = all.filter((queue) => !needsPerson(queue));
        return [
          view.partition,
          { count: all.length, first: [...all.filter(needsPerson), ...others].slice(0, first) },
        ];
      }),
    );
  }

  /** By partition and path. */
  private async above(partitions: readonly string[], signal: AbortSignal | undefined): Promise<Above[]> {
    const found: Above[] = [];
    for (let after = { partition: '', queue: '' }; ; ) {
      signal?.throwIfAborted();
      const page = await limitedQueues(this.db, partitions, after.partition, after.queue, pageSize);
      found.push(...(await this.aboveOf(page)));
      if (page.length < pageSize) return found;
      after = page.at(-1)!;
    }
  }

  /** The cluster answers for all partitions that it is asked for at once with one statement. */
  private async aboveOf(page: readonly Limited[]): Promise<Above[]> {
    const found = await Promise.all(
      [...byPartition(page, (row) => row)].map(async ([partition, rows]) => {
        const hasShares = rows.some(({ clusterShare }) => clusterShare);
        const [size, usage] = await Promise.all([
          hasShares ? this.cluster.capacity(partition) : {},
          this.cluster.usage(
            partition,
            rows.map(({ queue }) => queue),
          ),
        ]);
        return rows.map((row) => ({
          partition,
          queue: row.queue,
          over: aboveQuota(row, size, usage.get(row.queue)),
        }));
      }),
    );
    return found.flat().filter(({ over }) => Object.keys(over).length > 0);
  }

  private async clocks(
    above: readonly Above[],
  ): Promise<{ partition: string; queue: string; dueAt: Date; state: string }[]> {
    return clocksOf(this.db, above);
  }

  private async states(above: readonly Above[]): Promise<Map<string, ClockState>> {
    const rows = await statesOf(this.db, above);
    return new Map(rows.map(({ partition, queue, state }) => [keyOf(partition, queue), state]));
  }
}

const keyOf = (partition: string, queue: string): string => JSON.stringify([partition, queue]);
