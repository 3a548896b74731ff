import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CLUSTER_READER, type ClusterReader, planningVersions } from '#clusters';
import { InputError } from '#contracts';
import { isObserved } from '#holds';
import { FORESIGHT_SETTINGS, type ForesightSettings } from '../settings/planner-settings.js';
import { lastCheckSeconds, retrySeconds } from './check-clock.js';
import {
  type Changed,
  type DueByInterval,
  dueByInterval,
  lookAtChanged,
  type NextCheckOfMany,
  partitionNow,
  type QuietClock,
  saveQuiet,
  saveSame,
} from './foresight-table.js';

/** Clocks that one look compares. */
const mostClocks = 10_000;

/**
 * Saves planning where a check would find what is known: the work of the queue is the same as at the check before; or owners know of
 * nothing and the queue is within its quota, so that the run would not be needed; or the cluster is unknown, for the reason that was
 * recorded. Ten thousand clocks that wait then cost a few statements.
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
    await this.passChanged('clock');
    await this.passChanged('other');
    const due = await dueByInterval(this.db, this.interval, mostClocks);
    for (const [partition, clocks] of byPartition(due)) {
      const unknown = await this.unknown(partition);
      const isOther = ({ isReconfigured, fault }: DueByInterval) =>
        isReconfigured || (fault !== null && unknown === undefined);
      const others = clocks.filter((clock) => isOther(clock) && !clock.isTold);
      await this.passQuiet('interval', partition, others);
      const same = clocks.filter((clock) => !isOther(clock));
      if (unknown === undefined) await this.passSame(partition, same);
      else {
        const sameFault = same.filter(({ fault }) => fault === unknown);
        await saveSame(this.db, sameFault, { seconds: retrySeconds });
      }
    }
  }

  /** Checks of clocks that were set, or after a command or a start. */
  private async passChanged(changed: Changed): Promise<void> {
    if (this.settings.foresight === 'off') return;
    for (let more = true; more; ) {
      const { quiet, looked } = await lookAtChanged(this.db, changed, mostClocks);
      more = looked === mostClocks;
      for (const [partition, clocks] of byPartition(quiet)) await this.passQuiet(changed, partition, clocks);
    }
  }

  /** Checks of clocks whose owners know of nothing, whatever has changed, where every queue has advance notice. */
  private async passQuiet(
    due: Changed | 'interval',
    partition: string,
    clocks: readonly QuietClock[],
  ): Promise<void> {
    if (clocks.length === 0 || this.settings.foresight === 'off') return;
    const { mode, hasExceptions } = await partitionNow(this.db, partition);
    if (hasExceptions || isObserved({ mode }, this.settings)) return;
    const unknown = await this.unknown(partition);
    if (unknown !== undefined) await saveQuiet(this.db, due, clocks, unknown, { seconds: retrySeconds });
    else await saveQuiet(this.db, due, await this.within(partition, clocks), null, this.byInterval);
  }

  /** Checks of clocks for which nothing has changed. */
  private async passSame(partition: string, clocks: readonly DueByInterval[]): Promise<void> {
    const untold = clocks.filter(({ isTold, isChecked }) => isChecked && !isTold);
    const within = new Set(await this.within(partition, untold));
    const others = clocks.filter((clock) => !within.has(clock));
    await saveSame(this.db, [...within, ...(await this.unchanged(partition, others))], this.byInterval);
  }

  /** The longest time between two checks, in seconds. */
  private get interval(): number {
    return Math.max(this.settings.foresightSeconds, retrySeconds);
  }

  private get byInterval(): NextCheckOfMany {
    return { seconds: this.settings.foresightSeconds, last: lastCheckSeconds };
  }

  /** Those whose queue is within its quota. */
  private async within<C extends QuietClock>(partition: string, clocks: readonly C[]): Promise<C[]> {
    const queues = clocks.map(({ queue }) => queue);
    const usage = await this.cluster.usage(partition, queues);
    return clocks.filter(({ queue, max }) => max && isWithin(usage.get(queue)?.usage ?? {}, max));
  }

  /** Those whose work is what their last plan was made from. */
  private async unchanged(partition: string, clocks: readonly DueByInterval[]): Promise<DueByInterval[]> {
    const queues = clocks.filter(({ planned }) => planned !== null).map(({ queue }) => queue);
    const nodeAware = this.settings.policy.nodeAware ?? false;
    const versions = await planningVersions(this.db, this.cluster, { partition, queues, nodeAware });
    return clocks.filter(({ queue, planned }) => planned !== null && planned === versions.get(queue));
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

function byPartition<C extends QuietClock>(clocks: readonly C[]): Map<string, C[]> {
  const partitions = new Map<string, C[]>();
  for (const clock of clocks) {
    const known = partitions.get(clock.partition);
    if (known) known.push(clock);
    else partitions.set(clock.partition, [clock]);
  }
  return partitions;
}

const isWithin = (usage: Readonly<Record<string, number>>, max: Readonly<Record<string, number>>): boolean =>
  Object.entries(max).every(([type, most]) => (usage[type] ?? 0) <= most);
