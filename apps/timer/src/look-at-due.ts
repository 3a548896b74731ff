import { setTimeout as delay } from 'node:timers/promises';
import { CLUSTER_READER, type ClusterReader } from '@curtail/clusters';
import { amountsOfLimit, ancestors, InputError } from '@curtail/contracts';
import { ancestorRuns, coveringStop, firingOrder } from '@curtail/enforcement';
import { type Clock, DatabaseClock, databaseTime } from '@curtail/event-store';
import { dueTimers, type Timer, type WakeUp } from '@curtail/timers';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { usageAndSize } from './cluster-size.js';
import { ScheduleSession, timerKind } from './schedule-session.js';
import { TIMER_SETTINGS, type TimerSettings } from './timer-settings.js';

/** Looked at in one transaction: what a burst starts is planned once it has committed, and does not get in the way of the rest. */
const pageSize = 5000;
/** So much is work for one look at a time: another one would load and judge the same. */
const leftFrom = 2000;
/** A page that failed is tried with half as much, for it may have been too much for one transaction. */
const leastPage = 100;
/** A waiting partition is checked with every sweep, and logged at intervals. */
const sayEveryMs = 60_000;

export interface LookOptions {
  /** At what is due by then, which may be a little ahead; absent: by now. */
  by?: Date;
  /** Another look at the partition is under way: where much is due, that is left to it. */
  isSecond?: boolean;
}

export interface LookOutcome {
  /** How late each run that a look started stood in the log for all to see, in milliseconds. */
  latenessMs: number[];
  /** There may be more that is due, and this look got on: one more is worth it. */
  more: boolean;
  /** Much is due, and was left to the other look. */
  left: boolean;
  wakeUps: WakeUp[];
}

const nothing: LookOutcome = { latenessMs: [], more: false, left: false, wakeUps: [] };

/**
 * Looks at the queues of a partition that are due, in the order of docs/reference/policies/quota-decrease.md §3.3, in one transaction:
 * a leaf before its parent at the same moment, none below a queue that runs. Taking the lock of a queue is the append of
 * EnforcementStarted; looks of several processes take turns in a partition.
 */
@Injectable()
export class LookAtDue {
  private readonly log = new Logger('Timer');
  /** By partition: when it was last said that it waits, by a clock that only goes forward. */
  private readonly saidAt = new Map<string, number>();
  /** By partition: the size of a page, from a look that failed until less than a page is due. */
  private readonly limits = new Map<string, number>();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
    @Inject(TIMER_SETTINGS) private readonly settings: TimerSettings,
    @Inject(DatabaseClock) private readonly clock: Clock,
  ) {}

  async look(partition: string, options: LookOptions = {}): Promise<LookOutcome> {
    const limit = this.limits.get(partition) ?? pageSize;
    try {
      return await this.lookAtPage(partition, limit, options);
    } catch (error) {
      this.limits.set(partition, Math.max(leastPage, limit >> 1));
      throw error;
    }
  }

  private async lookAtPage(
    partition: string,
    limit: number,
    { by, isSecond = false }: LookOptions,
  ): Promise<LookOutcome> {
    const until = new Date(Math.max(by?.getTime() ?? 0, this.clock.now().getTime()));
    const due = await dueTimers(this.db, timerKind, until, { partition, limit });
    if (due.length === 0) return nothing;
    if (isSecond && due.length >= Math.min(limit, leftFrom)) return { ...nothing, left: true };
    // What is due waits until it can be judged by what runs now.
    if (!(await this.isKnown(partition))) return nothing;
    // Before the lock is taken: a cluster may take its time.
    const queues = due.map((timer) => timer.name);
    const { usage, clusterSize } = await usageAndSize(this.db, this.cluster, partition, queues);
    // What was read ahead is due now: nothing starts early.
    for (;;) {
      const ms = until.getTime() - this.clock.now().getTime();
      if (ms <= 0) break;
      await delay(ms);
    }
    const startedFor: Date[] = [];
    const outcome = await this.db.transaction(async (tx) => {
      const { session, standing } = await ScheduleSession.withStanding(
        tx,
        partition,
        queues,
        this.settings.leaseMs,
      );
      const { enabled, stops, tokens } = standing;
      const running = await this.running(session, partition, due, standing.running);
      const now = await databaseTime(tx);
      let settled = 0;

      for (const timer of inFiringOrder(due)) {
        const queue = timer.name;
        const blocked = ancestorRuns(queue, running);
        const events = session.decide(partition, queue, {
          kind: 'look',
          at: now.toISOString(),
          generation: timer.generation,
          enabled,
          stop: coveringStop(queue, stops),
          ancestorRuns: blocked,
          // Only queues of the configuration have a clock, and those are not dynamic.
          dynamic: false,
          usage: usage.get(queue)?.usage ?? {},
          inFlight: usage.get(queue)?.inFlight ?? {},
          clusterSize,
          fencingToken: tokens.shift()!,
        });
        const { pending, values } = session.state(partition, queue);
        const isUnknown = pending !== undefined && amountsOfLimit(values, clusterSize) === undefined;
        // What cannot be judged now makes room for what can: the end of that run, or the size of the cluster, lets it go on.
        const waits = events.length === 0 && (blocked || isUnknown);
        if (waits) session.wait(partition, queue);
        if (waits || blocked || events.length > 0) settled++;
        for (const event of events) {
          if (event.name !== 'EnforcementStarted') continue;
          running.add(queue);
          startedFor.push(timer.dueAt);
        }
      }
      const wakeUps = await session.save();
      return { ...nothing, more: due.length === limit && settled > 0, wakeUps };
    });
    const committedAt = this.clock.now().getTime();
    // Until then pages stay small: a look that leaves its work to another one, or finds none, says nothing of them.
    if (due.length < limit) this.limits.delete(partition);
    return { ...outcome, latenessMs: startedFor.map((dueAt) => committedAt - dueAt.getTime()) };
  }

  /**
   * The queues that run. A run may be ending in this moment: where a due queue has to wait for it, that is made certain, or the
   * queue would wait for an end that has been.
   */
  private async running(
    session: ScheduleSession,
    partition: string,
    due: Timer[],
    running: string[],
  ): Promise<Set<string>> {
    const above = new Set(due.flatMap(({ name }) => ancestors(name)));
    const inTheWay = running.filter((queue) => above.has(queue));
    if (inTheWay.length === 0) return new Set(running);
    const certain = await session.stillRunning(partition, inTheWay);
    return new Set(running.filter((queue) => certain.has(queue) || !above.has(queue)));
  }

  private async isKnown(partition: string): Promise<boolean> {
    try {
      await this.cluster.assertKnown?.(partition);
      this.saidAt.delete(partition);
      return true;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      const now = performance.now();
      if (now - (this.saidAt.get(partition) ?? Number.NEGATIVE_INFINITY) >= sayEveryMs) {
        this.saidAt.set(partition, now);
        this.log.warn('Due timers wait.', { partition, reason: error.message });
      }
      return false;
    }
  }
}

function inFiringOrder(timers: Timer[]): Timer[] {
  return firingOrder(
    timers.map((timer) => ({ path: timer.name, dueAt: timer.dueAt.toISOString(), timer })),
  ).map(({ timer }) => timer);
}
