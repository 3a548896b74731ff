import { CLUSTER_READER, type ClusterReader } from '@curtail/clusters';
import { clockKind } from '@curtail/contracts';
import { type Clock, DatabaseClock, StreamConflict } from '@curtail/event-store';
import { Metrics } from '@curtail/platform';
import { type RoundPolicy, roundPolicies } from '@curtail/rounds';
import { type Worker } from '@curtail/runtime';
import {
  dueMoments,
  duePartitions,
  partitionsWaitingForSize,
  pendingTimers,
  type TimerKey,
  WAKE_UP_QUEUE,
  type WakeUp,
  type WakeUpQueue,
} from '@curtail/timers';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Apart } from './apart.js';
import { resumeWithSize } from './clocks/resume-with-size.js';
import { EndLeases } from './end-leases.js';
import { RestartClocks } from './restart-clocks.js';
import { BeginRounds } from './rounds/begin-rounds.js';
import { KeepRoundTimers } from './rounds/keep-round-timers.js';
import { TIMER_SETTINGS, type TimerSettings } from './settings/timer-settings.js';
import { type CheckOptions, type CheckOutcome, StartDueRuns } from './start-due-runs.js';
import { endOfShared, sharedKind } from './wake-ups/shared-wake-ups.js';
import { WakeUps } from './wake-ups/wake-ups.js';

/** Leases and new nodes make something due within many seconds: one of so many sweeps is enough to find it. */
const seldomEvery = 3;
/** The gauges count whole tables; metrics are collected less often. */
const countEveryMs = 10_000;

/** Each time at least one other has made progress. */
const mostTries = 10;

/**
 * For one partition: one reads the timers that will be due while another records the runs that it has started. Their
 * decisions take turns.
 */
const checksAtOnce = 3;

/** Checks of one partition that are under way, and the one that begins when one of them is done. */
interface Checks {
  going: Set<Promise<void>>;
  /** Resolves when the check that takes whole pages has finished its page; absent: there is none. */
  leading?: Promise<void> | undefined;
  next?: Promise<void> | undefined;
  nextBy: Date;
}

/**
 * The running part of the timer. A wake-up, a freed queue or the sweep requests a check of a partition; a request while
 * checks are under way causes one more check.
 *
 * A crash at any point loses at most wake-ups: the timer table is authoritative, the first sweep checks overdue timers,
 * and the wake-ups of all other pending timers are requested again after the start, and whenever the queue may have
 * lost them.
 */
@Injectable()
export class TimerService implements Worker {
  private readonly log = new Logger('Timer');
  private readonly checks = new Map<string, Checks>();
  private sweepTimer: NodeJS.Timeout | undefined;
  private countTimer: NodeJS.Timeout | undefined;
  private sweeps = 0;
  private readonly parts = new Apart((step, partition, error) => {
    this.metrics.sweepFailed(step, partition);
    this.log.warn('A step of the timer sweep failed; will retry.', { step, partition, err: error });
  });
  private arming: Promise<void> | undefined;
  private stopping = false;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(WAKE_UP_QUEUE) private readonly wakeUpQueue: WakeUpQueue,
    @Inject(TIMER_SETTINGS) private readonly settings: TimerSettings,
    @Inject(StartDueRuns) private readonly startDueRuns: StartDueRuns,
    @Inject(EndLeases) private readonly endLeases: EndLeases,
    @Inject(RestartClocks) private readonly restartClocks: RestartClocks,
    @Inject(WakeUps) private readonly wakeUps: WakeUps,
    @Inject(BeginRounds) private readonly beginRounds: BeginRounds,
    @Inject(KeepRoundTimers) private readonly keepRoundTimers: KeepRoundTimers,
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(DatabaseClock) private readonly clock: Clock,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
  ) {}

  async start(): Promise<void> {
    this.wakeUps.whenCheckWanted((partition, by) => this.check(partition, by));
    await this.restartClocks.run();
    await this.wakeUpQueue.listen(async (wakeUp) => {
      if (this.stopping) return;
      if (wakeUp.kind === sharedKind) await this.setNearWakeUps(wakeUp);
      else {
        for (const policy of roundPolicies)
          if (kindsOf(policy).includes(wakeUp.kind)) await this.beginRounds.ifDue(policy, wakeUp.partition);
      }
    });
    await this.keepRoundTimers.keepAll();
    this.sweepTimer = setInterval(() => void this.sweep(), this.settings.sweepMs);
    // Overdue timers need no wake-up. The start does not wait until the wake-ups of all others are requested: the queue
    // still has most of them, and the sweep finds the rest.
    void this.sweep();
    this.countTimer = setInterval(() => void this.count(), countEveryMs);
    void this.count();
    this.wakeUpQueue.whenForgotten(() => {
      this.arming = this.armAll();
      return this.arming;
    });
  }

  async stop(): Promise<void> {
    this.stopping = true;
    clearInterval(this.sweepTimer);
    clearInterval(this.countTimer);
    // The caller receives its failure.
    await this.arming?.catch(() => {});
    await this.parts.settled();
    await Promise.allSettled([...this.checks.values()].flatMap(({ going }) => [...going]));
    await this.wakeUps.stop();
  }

  /** The interval of a shared wake-up is about to begin: sets a wake-up for each due moment in it. */
  private async setNearWakeUps(shared: WakeUp): Promise<void> {
    const { partition } = shared;
    for (const dueAt of await dueMoments(this.db, clockKind, partition, endOfShared(shared)))
      this.wakeUps.checkAt(partition, dueAt);
  }

  /**
   * Checks the timers of a partition that are due by a moment that may be slightly in the future. Resolves when a check
   * that began after this call is done.
   */
  check(partition: string, by = this.clock.now()): Promise<void> {
    if (this.stopping) return Promise.resolve();
    const checks = this.checks.get(partition) ?? { going: new Set(), nextBy: by };
    this.checks.set(partition, checks);
    if (checks.going.size < checksAtOnce) return this.begin(partition, by, checks);
    checks.nextBy = checks.next && checks.nextBy > by ? checks.nextBy : by;
    checks.next ??= Promise.race([...checks.going].map((going) => going.catch(() => {}))).then(() => {
      checks.next = undefined;
      return this.check(partition, checks.nextBy);
    });
    return checks.next;
  }

  private begin(partition: string, by: Date, checks: Checks): Promise<void> {
    const going = this.checkUntilDone(partition, by, checks).finally(() => {
      checks.going.delete(going);
      if (checks.going.size === 0 && !checks.next) this.checks.delete(partition);
    });
    checks.going.add(going);
    return going;
  }

  private async checkUntilDone(partition: string, by: Date, checks: Checks): Promise<void> {
    let more = true;
    while (more && !this.stopping) {
      const outcome = await this.checkBeside(partition, by, checks);
      for (const lateMs of outcome.latenessMs) this.metrics.timerLateness.observe(lateMs / 1000);
      this.wakeUps.arm(
        outcome.wakeUps.filter((wakeUp) => wakeUp.dueAt.getTime() > this.clock.now().getTime()),
      );
      more = outcome.more || outcome.left;
    }
  }

  /** When many timers are due, one check at a time handles them: any other waits until it is done, and checks again. */
  private async checkBeside(partition: string, by: Date, checks: Checks): Promise<CheckOutcome> {
    if (checks.leading) {
      const outcome = await this.checkAgainOnConflict(partition, { by, isSecond: true });
      if (outcome.left) await checks.leading;
      return outcome;
    }
    let isOver = () => {};
    checks.leading = new Promise((resolve) => {
      isOver = resolve;
    });
    try {
      return await this.checkAgainOnConflict(partition, { by });
    } finally {
      checks.leading = undefined;
      isOver();
    }
  }

  /** A clock changed during its check: the check is repeated at once. */
  private async checkAgainOnConflict(partition: string, how: CheckOptions): Promise<CheckOutcome> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.startDueRuns.check(partition, how);
      } catch (error) {
        if (!(error instanceof StreamConflict) || tries === mostTries) throw error;
      }
    }
  }

  /** Finds due work whose wake-up was lost. Due work or failures in one partition do not delay the others. */
  async sweep(): Promise<void> {
    const { db, parts } = this;
    const kinds = [clockKind, ...[...roundPolicies].flatMap(kindsOf)];
    const found = duePartitions(db, kinds, this.clock.now());
    // Each step that needs it reports that it failed.
    found.catch(() => {});
    const due = async (...wanted: string[]) => {
      const byKind = await found;
      return [...new Set(wanted.flatMap((kind) => byKind.get(kind) ?? []))];
    };
    await Promise.all([
      parts.inEach(
        'clocks',
        () => due(clockKind),
        (partition) => this.check(partition),
      ),
      ...[...roundPolicies].map((policy) =>
        parts.inEach(
          policy.name,
          () => due(...kindsOf(policy)),
          (partition) => this.beginRounds.ifDue(policy, partition),
        ),
      ),
      this.sweeps++ % seldomEvery === 0 ? this.sweepSeldom() : undefined,
    ]);
  }

  private async sweepSeldom(): Promise<void> {
    const { db, cluster, parts } = this;
    await Promise.all([
      parts.inEach(
        'sizes',
        () => partitionsWaitingForSize(db, clockKind),
        async (partition) => {
          if (await resumeWithSize(db, cluster, partition)) await this.check(partition);
        },
      ),
      parts.inEach(
        'leases',
        () => this.endLeases.partitions(),
        (partition) => this.endLeases.sweep(partition),
      ),
    ]);
  }

  private count(): Promise<void> {
    return this.parts.whole('counts', () => this.countPending());
  }

  private async countPending(): Promise<void> {
    const rows = await this.db.query<{ count: number }[]>(
      'SELECT count(*)::int AS count FROM timers WHERE kind = $1',
      [clockKind],
    );
    this.metrics.timersPending.set(rows[0]?.count ?? 0);
    for (const { ownGauge } of roundPolicies) {
      if (ownGauge) this.metrics.setOwn(ownGauge, await ownGauge.count(this.db));
    }
  }

  private async armAll(): Promise<void> {
    const own = [...roundPolicies].flatMap(({ ownTimers }) => ownTimers?.kind ?? []);
    for (const kind of [clockKind, ...own]) await this.armKind(kind);
  }

  private async armKind(kind: string): Promise<void> {
    let after: TimerKey | undefined;
    while (!this.stopping) {
      const page = await pendingTimers(this.db, kind, { ...(after ? { after } : {}), limit: 1000 });
      if (page.length === 0) return;
      await this.wakeUps.armAgain(page.filter((timer) => timer.dueAt.getTime() > this.clock.now().getTime()));
      after = page.at(-1);
    }
  }
}

/** The kinds of timers that begin rounds of a policy. */
const kindsOf = ({ name, ownTimers }: RoundPolicy): string[] => [
  name,
  ...(ownTimers ? [ownTimers.kind] : []),
];
