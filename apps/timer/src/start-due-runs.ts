import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CLUSTER_READER, type ClusterReader } from '#clusters';
import { amountsOfLimit, ancestors, InputError } from '#contracts';
import { ancestorRuns, firingOrder } from '#enforcement';
import { type Clock, DatabaseClock, databaseTime, type Tx } from '#event-store';
import { heldBy } from '#holds';
import type { Timer, WakeUp } from '#timers';
import { ClockSession } from './clocks/clock-session.js';
import { type ClocksOfPartition, dueClocks } from './clocks/clock-statements.js';
import type { UsageAndSize } from './clocks/cluster-size.js';
import { TIMER_SETTINGS, type TimerSettings } from './settings/timer-settings.js';

/** Checked in one transaction: the runs that a burst starts are planned once it has committed, beside the rest of the burst. */
const pageSize = 5000;
/** From this many due clocks on one check at a time handles them: a second one would load and judge the same. */
const leftFrom = 2000;
/** A page that failed is retried with half as many, since it may have been too large for one transaction. */
const leastPage = 100;
/** A waiting partition is checked with every sweep, and logged at intervals. */
const logEveryMs = 60_000;

export interface CheckOptions {
  /** Checks timers that are due by then, which may be slightly in the future; absent: by now. */
  by?: Date;
  /** Another check of the partition is under way, which handles the due timers if there are many. */
  isSecond?: boolean;
}

export interface CheckOutcome {
  /** How long after its due time each started run was visible in the log, in milliseconds. */
  latenessMs: number[];
  /** More timers may be due, and this check made progress: another check is worthwhile. */
  more: boolean;
  /** Many timers are due, and were left to the other check. */
  left: boolean;
  wakeUps: WakeUp[];
}

/** Due clocks, and the usage of their queues. */
interface DuePage extends UsageAndSize {
  partition: string;
  due: Timer[];
}

interface Decided {
  /** The due times of the runs that were started. */
  startedFor: Date[];
  /** The number of clocks that need no other check now. */
  settled: number;
  wakeUps: WakeUp[];
}

const nothing: CheckOutcome = { latenessMs: [], more: false, left: false, wakeUps: [] };

/**
 * Checks the due queues of a partition, in the order of docs/reference/policies/quota-decrease.md §3.3, in one
 * transaction: a leaf before its parent at the same moment, and none below a queue with a run. Appending
 * EnforcementStarted takes the lock of a queue; checks of several processes take turns in a partition.
 */
@Injectable()
export class StartDueRuns {
  private readonly log = new Logger('Timer');
  /** By partition: when its wait was last reported, by a monotonic clock. */
  private readonly loggedAt = new Map<string, number>();
  /** By partition: the size of a page, after a failed check until less than a page is due. */
  private readonly limits = new Map<string, number>();

  constructor(
    private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
    @Inject(TIMER_SETTINGS) private readonly settings: TimerSettings,
    @Inject(DatabaseClock) private readonly clock: Clock,
  ) {}

  async check(partition: string, options: CheckOptions = {}): Promise<CheckOutcome> {
    const limit = this.limits.get(partition) ?? pageSize;
    try {
      return await this.checkPage(partition, limit, options);
    } catch (error) {
      this.limits.set(partition, Math.max(leastPage, limit >> 1));
      throw error;
    }
  }

  private async checkPage(
    partition: string,
    limit: number,
    { by, isSecond = false }: CheckOptions,
  ): Promise<CheckOutcome> {
    const until = new Date(Math.max(by?.getTime() ?? 0, this.clock.now().getTime()));
    const { due, followCluster } = await dueClocks(this.db, until, { partition, limit });
    if (due.length === 0) return nothing;
    if (isSecond && due.length >= Math.min(limit, leftFrom)) return { ...nothing, left: true };
    // Due clocks wait until the currently running ones are known.
    if (!(await this.isKnown(partition))) return nothing;
    // Before the lock is taken: a cluster may be slow. A clock that begins to follow the cluster after this is left to the next
    // check.
    const queues = due.map((timer) => timer.name);
    const [usage, clusterSize] = await Promise.all([
      this.cluster.usage(partition, queues),
      followCluster ? this.cluster.capacity(partition) : {},
    ]);
    await this.untilPast(until);
    const { startedFor, settled, wakeUps } = await this.db.transaction((tx) =>
      this.decide(tx, { partition, due, usage, clusterSize }),
    );
    const committedAt = this.clock.now().getTime();
    // Until then pages stay small: a check that leaves its work to another one, or finds none, gives no reason to change them.
    if (due.length < limit) this.limits.delete(partition);
    return {
      ...nothing,
      more: due.length === limit && settled > 0,
      wakeUps,
      latenessMs: startedFor.map((dueAt) => committedAt - dueAt.getTime()),
    };
  }

  /** Clocks that were read ahead of time are due then: none starts early. */
  private async untilPast(moment: Date): Promise<void> {
    for (;;) {
      const ms = moment.getTime() - this.clock.now().getTime();
      if (ms <= 0) return;
      await delay(ms);
    }
  }

  /** Decides about due clocks one after the other, each with the runs that those before it have started. */
  private async decide(tx: Tx, page: DuePage): Promise<Decided> {
    const { partition, due } = page;
    const queues = due.map(({ name }) => name);
    const { session, state } = await ClockSession.withState(tx, partition, queues, this.settings.leaseMs);
    const { running, now } = await certainlyRunning(tx, session, page, state);
    const startedFor: Date[] = [];
    let settled = 0;
    for (const timer of inFiringOrder(due)) {
      const outcome = decideOne(session, page, { ...state, running, now }, timer);
      if (outcome !== 'unchanged') settled++;
      if (outcome !== 'started') continue;
      running.add(timer.name);
      startedFor.push(timer.dueAt);
    }
    const { wakeUps } = await session.save();
    return { startedFor, settled, wakeUps };
  }

  private async isKnown(partition: string): Promise<boolean> {
    try {
      await this.cluster.assertKnown?.(partition);
      this.loggedAt.delete(partition);
      return true;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      const now = performance.now();
      if (now - (this.loggedAt.get(partition) ?? Number.NEGATIVE_INFINITY) >= logEveryMs) {
        this.loggedAt.set(partition, now);
        this.log.warn('Due timers wait.', { partition, reason: error.message });
      }
      return false;
    }
  }
}

/**
 * The queues that have a run, of which those above a due queue certainly have one: a run may be ending at this moment, and the due
 * queue would wait for an end in the past.
 */
async function certainlyRunning(
  tx: Tx,
  session: ClockSession,
  { partition, due }: DuePage,
  state: ClocksOfPartition,
): Promise<{ running: Set<string>; now: Date }> {
  const running = new Set(state.running);
  const above = new Set(due.flatMap(({ name }) => ancestors(name)));
  const inTheWay = state.running.filter((queue) => above.has(queue));
  if (inTheWay.length === 0) return { running, now: state.now };
  const certain = await session.stillRunning(partition, inTheWay);
  for (const queue of inTheWay) if (!certain.has(queue)) running.delete(queue);
  return { running, now: await databaseTime(tx) };
}

/**
 * Decides about one due clock. One that cannot be judged now makes room for others: the end of the run above it, or the size of the
 * cluster, resumes it.
 */
function decideOne(
  session: ClockSession,
  { partition, usage, clusterSize }: DuePage,
  state: Omit<ClocksOfPartition, 'running'> & { running: ReadonlySet<string> },
  { name: queue, generation }: Timer,
): 'started' | 'changed' | 'waits' | 'unchanged' {
  const { now, running, holds, tokens, causes } = state;
  const blocked = ancestorRuns(queue, running);
  const events = session.decide(partition, queue, {
    kind: 'check',
    at: now.toISOString(),
    generation,
    enabled: holds.enabled,
    ...heldBy(queue, holds, now.getTime()),
    ancestorRuns: blocked,
    // Only queues of the configuration have a clock, and those are not dynamic.
    dynamic: false,
    usage: usage.get(queue)?.usage ?? {},
    inFlight: usage.get(queue)?.inFlight ?? {},
    clusterSize,
    configuration: causes[queue],
    fencingToken: tokens.shift()!,
  });
  if (events.some(({ name }) => name === 'EnforcementStarted')) return 'started';
  if (events.length > 0) return 'changed';
  const { pending, values } = session.state(partition, queue);
  const isUnknown = pending !== undefined && amountsOfLimit(values, clusterSize) === undefined;
  if (!blocked && !isUnknown) return 'unchanged';
  session.wait(partition, queue);
  return 'waits';
}

function inFiringOrder(timers: Timer[]): Timer[] {
  return firingOrder(
    timers.map((timer) => ({ path: timer.name, dueAt: timer.dueAt.toISOString(), timer })),
  ).map(({ timer }) => timer);
}
