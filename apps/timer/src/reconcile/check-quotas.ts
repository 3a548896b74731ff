import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CLUSTER_READER, type ClusterReader, type QueueUsage } from '#clusters';
import { amountsOfLimit, InputError, type Resources } from '#contracts';
import { coveringStop, overBy } from '#enforcement';
import { databaseTime } from '#event-store';
import { holdsIn, isObserved } from '#holds';
import { newEnforcement } from '../clocks/clock-event.js';
import { ClockSession } from '../clocks/clock-session.js';
import { usageAndSize } from '../clocks/cluster-size.js';
import { TIMER_SETTINGS, type TimerSettings } from '../settings/timer-settings.js';
import { WakeUps } from '../wake-ups/wake-ups.js';
import { busyAround, type Candidate, countNotMet, queuesAtRest } from './reconcile-statements.js';

/** Queues whose usage is read with one statement. */
const pageSize = 5000;

/**
 * Finds queues above their quota without a pending clock and without a valid reason
 * (docs/reference/policies/quota-decrease.md §3.8).
 */
@Injectable()
export class CheckQuotas {
  constructor(
    private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
    @Inject(TIMER_SETTINGS) private readonly settings: TimerSettings,
    private readonly wakeUps: WakeUps,
  ) {}

  /** @returns how many queues of the partition are above their quota without a reason; undefined: the cluster is not known. */
  async check(partition: string): Promise<number | undefined> {
    if (!(await this.isKnown(partition))) return undefined;
    const isBusy = await busyAround(this.db, partition);
    for (let after = ''; ; ) {
      const page = await queuesAtRest(this.db, { partition, after, limit: pageSize });
      await this.checkPage(
        partition,
        page.filter(({ queue }) => !isBusy(queue)),
      );
      if (page.length < pageSize) break;
      after = page.at(-1)!.queue;
    }
    return countNotMet(this.db, partition);
  }

  private async checkPage(partition: string, page: Candidate[]): Promise<void> {
    if (page.length === 0) return;
    const queues = page.map(({ queue }) => queue);
    const { usage, clusterSize } = await usageAndSize(this.db, this.cluster, partition, queues);
    const changed = page.filter(({ queue, values, notMet }) => {
      const max = amountsOfLimit(values, clusterSize);
      return max !== undefined && isOver(usage.get(queue), max) !== notMet;
    });
    if (changed.length > 0) await this.decide(partition, changed, usage, clusterSize);
  }

  private async decide(
    partition: string,
    queues: readonly Candidate[],
    usageByQueue: ReadonlyMap<string, QueueUsage>,
    clusterSize: Resources,
  ): Promise<void> {
    const { leaseMs, policy } = this.settings;
    const wakeUps = await this.db.transaction(async (tx) => {
      const session = new ClockSession(tx, leaseMs);
      await session.load(queues.map(({ queue }) => ({ partition, queue })));
      const holds = await holdsIn(tx, partition);
      const at = (await databaseTime(tx)).toISOString();
      for (const { queue } of queues) {
        session.decide(partition, queue, {
          kind: 'reconcile',
          at,
          reconcile: policy.reconcile,
          observed: isObserved(holds, this.settings),
          enabled: holds.enabled,
          stop: coveringStop(queue, holds.stops),
          usage: usageByQueue.get(queue)?.usage ?? {},
          inFlight: usageByQueue.get(queue)?.inFlight ?? {},
          clusterSize,
          newEnforcement: newEnforcement(),
        });
      }
      return (await session.save()).wakeUps;
    });
    this.wakeUps.arm(wakeUps);
  }

  /** Without the cluster no quota can be judged; a queue that waits for the cluster has reported that already. */
  private async isKnown(partition: string): Promise<boolean> {
    try {
      await this.cluster.assertKnown?.(partition);
      return true;
    } catch (error) {
      if (error instanceof InputError) return false;
      throw error;
    }
  }
}

const isOver = (used: QueueUsage | undefined, max: Resources | null): boolean =>
  used !== undefined && max !== null && Object.keys(overBy(used, max)).length > 0;
