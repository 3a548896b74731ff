import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CLUSTER_READER, type ClusterReader, takePlanningSnapshot } from '#clusters';
import {
  clockTrigger,
  counted,
  InputError,
  type QuotaValues,
  settingsOfPlans,
  settingsOfQueue,
} from '#contracts';
import { coveringStop, mostAllocationsToUnblock, overBy } from '#enforcement';
import { databaseTime } from '#event-store';
import { holdsIn, isObserved } from '#holds';
import { plan, readSnapshot } from '#planning';
import { newEnforcement } from '../clocks/clock-event.js';
import { ClockSession } from '../clocks/clock-session.js';
import { usageAndSize } from '../clocks/cluster-size.js';
import { TIMER_SETTINGS, type TimerSettings } from '../settings/timer-settings.js';
import { WakeUps } from '../wake-ups/wake-ups.js';
import { type Blocked, blockedQueues, busyAround } from './reconcile-statements.js';

/** The most queues that one comparison checks; the queues whose last check is oldest come first. */
const queuesAtOnce = 20;

/**
 * Starts another run of queues that are above their quota, where a plan could evict now what that of the last run could not: what blocked
 * it has changed. Nothing is written where nothing has. docs/reference/policies/quota-decrease.md §3.12
 */
@Injectable()
export class UnblockQueues {
  /** By partition and run: the last comparison that checked it. */
  private readonly looked = new Map<string, number>();
  private comparisons = 0;

  constructor(
    private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
    @Inject(TIMER_SETTINGS) private readonly settings: TimerSettings,
    private readonly wakeUps: WakeUps,
  ) {}

  /** @returns how many clocks were set. */
  async check(partition: string): Promise<number> {
    if (!this.settings.policy.retryUnblocked) return 0;
    const blocked = await blockedQueues(this.db, partition);
    if (blocked.length === 0) return 0;
    const isBusy = await busyAround(this.db, partition);
    let set = 0;
    for (const one of this.next(partition, blocked)) {
      if (isBusy(one.queue)) continue;
      if (await this.unblock(partition, one)) set += 1;
    }
    return set;
  }

  private next(partition: string, blocked: readonly Blocked[]): Blocked[] {
    this.comparisons += 1;
    const keyOf = ({ after }: Blocked) => `${partition}/${after}`;
    const keys = new Set(blocked.map(keyOf));
    for (const key of this.looked.keys())
      if (key.startsWith(`${partition}/`) && !keys.has(key)) this.looked.delete(key);
    const chosen = blocked
      .toSorted((a, b) => (this.looked.get(keyOf(a)) ?? 0) - (this.looked.get(keyOf(b)) ?? 0))
      .slice(0, queuesAtOnce);
    for (const one of chosen) this.looked.set(keyOf(one), this.comparisons);
    return chosen;
  }

  private async unblock(partition: string, { queue, after, values }: Blocked): Promise<boolean> {
    const victims = await this.victimsNow(partition, queue, values);
    if (victims === 0) return false;
    const { usage, clusterSize } = await usageAndSize(this.db, this.cluster, partition, [queue]);
    const { leaseMs } = this.settings;
    const { isSet, wakeUps } = await this.db.transaction(async (tx) => {
      const session = new ClockSession(tx, leaseMs);
      await session.load([{ partition, queue }]);
      const holds = await holdsIn(tx, partition);
      const events = session.decide(partition, queue, {
        kind: 'unblock',
        at: (await databaseTime(tx)).toISOString(),
        after,
        observed: isObserved(holds, this.settings),
        message: `A run would now evict ${counted(victims, 'allocation')}.`,
        enabled: holds.enabled,
        stop: coveringStop(queue, holds.stops),
        usage: usage.get(queue)?.usage ?? {},
        inFlight: usage.get(queue)?.inFlight ?? {},
        clusterSize,
        newEnforcement: newEnforcement(),
      });
      return { isSet: events.length > 0, ...(await session.save()) };
    });
    this.wakeUps.arm(wakeUps);
    return isSet;
  }

  /** What a run would evict now; 0 also if the cluster is unknown, or the queue is too large to check. */
  private async victimsNow(partition: string, queue: string, fired: QuotaValues): Promise<number> {
    const { policy } = this.settings;
    try {
      await this.cluster.assertKnown?.(partition);
      const used = (await this.cluster.usage(partition, [queue])).get(queue);
      if (fired.maxShare === undefined && used && Object.keys(overBy(used, fired.max ?? {})).length === 0)
        return 0;
      const snapshot = await takePlanningSnapshot(this.db, this.cluster, {
        partition,
        queue,
        fired,
        mostAllocations: mostAllocationsToUnblock,
        nodeAware: policy.nodeAware ?? false,
        ownerBudgets: policy.ownerBudgets,
      });
      const settings = { ...settingsOfQueue(settingsOfPlans, policy, snapshot.queues, queue) };
      const made = plan(readSnapshot(snapshot), clockTrigger(queue), {
        ...settings,
        quotaPreemptionEnabled: true,
      });
      return made.victims.length;
    } catch (error) {
      if (error instanceof InputError) return 0;
      throw error;
    }
  }
}
