import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CLUSTER_READER, type ClusterReader } from '#clusters';
import { clockKind } from '#contracts';
import { type Clock, DatabaseClock } from '#event-store';
import { Metrics } from '#platform';
import { type RoundPolicy, roundPolicies } from '#rounds';
import type { Worker } from '#runtime';
import {
  countTimers,
  dueMoments,
  duePartitions,
  partitionsWaitingForSize,
  pendingTimers,
  type TimerKey,
  WAKE_UP_QUEUE,
  type WakeUp,
  type WakeUpQueue,
} from '#timers';
import { resumeWithSize } from './clocks/cluster-size.js';
import { EachByItself } from './each-by-itself.js';
import { EndLeases } from './end-leases.js';
import { PartitionChecks } from './partition-checks.js';
import { RestartClocks } from './restart-clocks.js';
import { BeginRounds } from './rounds/begin-rounds.js';
import { KeepRoundClocks } from './rounds/keep-round-clocks.js';
import { TIMER_SETTINGS, type TimerSettings } from './settings/timer-settings.js';
import { type CheckOptions, type CheckOutcome, StartDueRuns } from './start-due-runs.js';
import { endOfShared, sharedKind, WakeUps } from './wake-ups/wake-ups.js';

/** Leases and new nodes make something due within many seconds: one of so many sweeps is enough to find it. */
const seldomEvery = 3;
/** The gauges count whole tables; metrics are collected less often. */
const countEveryMs = 10_000;

/**
 * The running part of the timer. A wake-up, a freed queue or the sweep requests a check of a partition (`PartitionChecks`).
 *
 * A crash at any point loses at most wake-ups: the timer table is authoritative, the first sweep checks overdue timers,
 * and the wake-ups of all other pending timers are requested again after the start, and whenever the queue may have
 * lost them.
 */
@Injectable()
export class TimerService implements Worker {
  private readonly log = new Logger('Timer');
  private readonly checks: PartitionChecks;
  private sweepTimer: NodeJS.Timeout | undefined;
  private countTimer: NodeJS.Timeout | undefined;
  private sweeps = 0;
  private readonly parts = new EachByItself((step, partition, error) => {
    this.metrics.clocks.sweepFailed(step, partition);
    this.log.warn('A step of the timer sweep failed; retrying.', { step, partition, err: error });
  });
  private arming: Promise<void> | undefined;
  private stopping = false;

  constructor(
    private readonly db: DataSource,
    @Inject(WAKE_UP_QUEUE) private readonly wakeUpQueue: WakeUpQueue,
    @Inject(TIMER_SETTINGS) private readonly settings: TimerSettings,
    private readonly startDueRuns: StartDueRuns,
    private readonly endLeases: EndLeases,
    private readonly restartClocks: RestartClocks,
    private readonly wakeUps: WakeUps,
    private readonly beginRounds: BeginRounds,
    private readonly keepRoundTimers: KeepRoundClocks,
    private readonly metrics: Metrics,
    @Inject(DatabaseClock) private readonly clock: Clock,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
  ) {
    this.checks = new PartitionChecks(clock, (partition, options) => this.checkPage(partition, options));
  }

  async start(): Promise<void> {
    this.wakeUps.whenCheckWanted((partition, by) => this.checks.request(partition, by));
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
    const checksDone = this.checks.stop();
    clearInterval(this.sweepTimer);
    clearInterval(this.countTimer);
    // The caller receives its failure.
    await this.arming?.catch(() => {});
    await this.parts.settled();
    await checksDone;
    await this.wakeUps.stop();
  }

  /** The interval of a shared wake-up is about to begin: sets a wake-up for each due moment in it. */
  private async setNearWakeUps(shared: WakeUp): Promise<void> {
    const { partition } = shared;
    for (const dueAt of await dueMoments(this.db, clockKind, partition, endOfShared(shared)))
      this.wakeUps.checkAt(partition, dueAt);
  }

  private async checkPage(partition: string, options: CheckOptions): Promise<CheckOutcome> {
    const outcome = await this.startDueRuns.check(partition, options);
    for (const lateMs of outcome.latenessMs) this.metrics.clocks.timerLateness.observe(lateMs / 1000);
    const now = this.clock.now().getTime();
    this.wakeUps.arm(outcome.wakeUps.filter(({ dueAt }) => dueAt.getTime() > now));
    return outcome;
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
        (partition) => this.checks.request(partition),
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
          if (await resumeWithSize(db, cluster, partition)) await this.checks.request(partition);
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
    this.metrics.clocks.timersPending.set(await countTimers(this.db, clockKind));
    for (const { ownGauge } of roundPolicies) {
      if (ownGauge) this.metrics.clocks.setOwn(ownGauge, await ownGauge.count(this.db));
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
