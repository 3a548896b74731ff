import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CLUSTER_READER, type ClusterReader } from '#clusters';
import { InputError } from '#contracts';
import { FORESIGHT_SETTINGS, type ForesightSettings } from '../settings/planner-settings.js';
import { lastCheckSeconds, retrySeconds } from './check-clock.js';
import { type DueByInterval, dueByInterval, saveSame } from './foresight-table.js';

/** Clocks that one look compares. */
const mostClocks = 1000;

/**
 * Saves planning where a check by the interval would find what the one before found, and its owners know of nothing: the queue is within
 * its quota, so that the run would not be needed; or the cluster is still unknown, for the same reason. Ten thousand clocks that wait then
 * cost a few statements.
 */
@Injectable()
export class QuietClocks {
  constructor(
    private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
    @Inject(FORESIGHT_SETTINGS) private readonly settings: ForesightSettings,
  ) {}

  /** Passes the clocks that are due now. */
  async pass(): Promise<void> {
    const { foresightSeconds } = this.settings;
    const due = await dueByInterval(this.db, Math.max(foresightSeconds, retrySeconds), mostClocks);
    for (const partition of new Set(due.map((clock) => clock.partition))) {
      const clocks = due.filter((clock) => clock.partition === partition);
      const unknown = await this.unknown(partition);
      if (unknown !== undefined) {
        const same = clocks.filter(({ fault }) => fault === unknown);
        await this.save(same, { seconds: retrySeconds });
        continue;
      }
      const planned = clocks.filter(({ fault }) => fault === null);
      const usage = await this.cluster.usage(
        partition,
        planned.map(({ queue }) => queue),
      );
      const within = planned.filter(({ queue, max }) => max && isWithin(usage.get(queue)?.usage ?? {}, max));
      await this.save(within, { seconds: foresightSeconds, last: lastCheckSeconds });
    }
  }

  private async save(
    clocks: readonly DueByInterval[],
    next: { seconds: number; last?: number },
  ): Promise<void> {
    if (clocks.length > 0) await saveSame(this.db, clocks, next);
  }

  /** Why the cluster is not known, a sentence. */
  private async unknown(partition: string): Promise<string | undefined> {
    try {
      await this.cluster.assertKnown?.(partition);
      return undefined;
    } catch (error) {
      if (error instanceof InputError) return error.sentence;
      throw error;
    }
  }
}

const isWithin = (usage: Readonly<Record<string, number>>, max: Readonly<Record<string, number>>): boolean =>
  Object.entries(max).every(([type, most]) => (usage[type] ?? 0) <= most);
