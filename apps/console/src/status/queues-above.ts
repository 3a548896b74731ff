import { CLUSTER_READER, type ClusterReader } from '@curtail/clusters';
import { type ClusterShare, clockKind, type Resources } from '@curtail/contracts';
import type { EnforcementView, PartitionView, QueueAbove } from '@curtail/contracts/api';
import { coveringStop, needsPerson, type ScheduleState, type Stop, whyAbove } from '@curtail/enforcement';
import { READER_DATABASE } from '@curtail/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { aboveQuota } from '../queries/above-quota.js';
import { Waiting } from '../waiting/waiting.js';

interface Limited {
  queue: string;
  max: Resources | null;
  clusterShare: ClusterShare | null;
}

/** Queues whose usage is read with one statement. */
const pageSize = 5000;

/** Finds the queues that use more than their quota, and why. */
@Injectable()
export class QueuesAbove {
  constructor(
    @Inject(READER_DATABASE) private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
    @Inject(Waiting) private readonly waiting: Waiting,
  ) {}

  /**
   * Those that need a person come first, however many others there are.
   *
   * @param runs those of the partition that have not ended.
   * @param first how many to return; all are counted.
   * @param at by the clock of the database.
   */
  async of(
    view: PartitionView,
    runs: readonly EnforcementView[],
    first: number,
    at: string,
  ): Promise<{ count: number; first: QueueAbove[] }> {
    const above = await this.above(view.partition);
    const states = await this.states(
      view.partition,
      above.map(({ queue }) => queue),
    );
    const stops: Stop[] = view.stops.map(({ queue, by, reason }) => ({
      queue,
      by,
      ...(reason !== null && { reason }),
    }));
    const clocks = await this.clocks(view.partition, [...states.keys()]);
    const holdsOf = await this.waiting.clockHolds(view.partition, clocks, at);
    const runWaits = new Map(runs.map(({ enforcement, waiting }) => [enforcement, waiting?.message]));
    const explained = above.map(({ queue, over }): QueueAbove => {
      const state = states.get(queue);
      const holds = {
        ...holdsOf({ queue, dueAt: state?.pending?.dueAt }),
        runWaits: state?.running && runWaits.get(state.running.enforcement),
        nodeLabels: view.nodeLabels,
        enabled: view.quotaPreemptionEnabled ?? false,
        observed: view.mode === 'observe',
        stop: coveringStop(queue, stops),
      };
      const { code, message, enforcement } = whyAbove(state, over, holds, at);
      return { queue, above: over, code, reason: message, enforcement: enforcement ?? null };
    });
    const others = explained.filter((queue) => !needsPerson(queue));
    return { count: above.length, first: [...explained.filter(needsPerson), ...others].slice(0, first) };
  }

  /** By path. */
  private async above(partition: string): Promise<{ queue: string; over: Resources }[]> {
    const found: { queue: string; over: Resources }[] = [];
    for (let after = ''; ; ) {
      const page = await this.db.query<Limited[]>(
        `SELECT path AS queue, max, cluster_share AS "clusterShare" FROM queues
         WHERE partition = $1 AND path > $2 AND (max IS NOT NULL OR cluster_share ->> 'max' IS NOT NULL)
         ORDER BY path LIMIT $3`,
        [partition, after, pageSize],
      );
      const size = page.some(({ clusterShare }) => clusterShare)
        ? await this.cluster.capacity(partition)
        : {};
      const usage = await this.cluster.usage(
        partition,
        page.map(({ queue }) => queue),
      );
      for (const row of page) {
        const over = aboveQuota(row, size, usage.get(row.queue));
        if (Object.keys(over).length > 0) found.push({ queue: row.queue, over });
      }
      if (page.length < pageSize) return found;
      after = page.at(-1)!.queue;
    }
  }

  private async clocks(
    partition: string,
    queues: string[],
  ): Promise<{ queue: string; dueAt: Date; state: string }[]> {
    return this.db.query(
      `SELECT name AS queue, due_at AS "dueAt", state FROM timers
       WHERE kind = '${clockKind}' AND partition = $1 AND name = ANY ($2)`,
      [partition, queues],
    );
  }

  private async states(partition: string, queues: string[]): Promise<Map<string, ScheduleState>> {
    const rows = await this.db.query<{ queue: string; state: ScheduleState }[]>(
      'SELECT queue, state FROM schedules WHERE partition = $1 AND queue = ANY ($2)',
      [partition, queues],
    );
    return new Map(rows.map(({ queue, state }) => [queue, state]));
  }
}
