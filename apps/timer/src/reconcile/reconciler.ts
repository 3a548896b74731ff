import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { StreamConflict } from '#event-store';
import { Metrics } from '#platform';
import { type Worker } from '#runtime';
import type { ClockEvent } from '../clocks/clock-event.js';
import { ClockEvents } from '../clocks/clock-events.js';
import { TIMER_SETTINGS, type TimerSettings } from '../settings/timer-settings.js';
import { WakeUps } from '../wake-ups/wake-ups.js';
import { CheckClocks } from './check-clocks.js';
import { CheckQuotas } from './check-quotas.js';
import { FindMissedEvents, queuesAtOnce } from './missed-events.js';
import { partitionsToCompare } from './reconcile-statements.js';
import { UnblockQueues } from './unblock-queues.js';

/** An event that is younger than this part of the interval may still be on its way. */
const graceShare = 0.5;

/**
 * Compares desired with actual state at a steady interval, which bounds the delay of any accepted change, even if its
 * events were lost: events make Curtail fast, the reconciler makes it right. It works on one partition after the other,
 * and a failure in one does not affect the next.
 *
 * Any number of timers may run it: each decision is made on the clock at its version, and a second one finds nothing
 * left to do.
 */
@Injectable()
export class Reconciler implements Worker {
  private readonly log = new Logger('Reconciler');
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private stopping = false;

  constructor(
    private readonly db: DataSource,
    @Inject(TIMER_SETTINGS) private readonly settings: TimerSettings,
    private readonly clocks: ClockEvents,
    private readonly missed: FindMissedEvents,
    private readonly checkClocks: CheckClocks,
    private readonly checkQuotas: CheckQuotas,
    private readonly unblockQueues: UnblockQueues,
    private readonly wakeUps: WakeUps,
    private readonly metrics: Metrics,
  ) {}

  async start(): Promise<void> {
    this.timer = setInterval(() => {
      this.running ??= this.run().finally(() => {
        this.running = undefined;
      });
    }, this.settings.reconcileMs);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    clearInterval(this.timer);
    await this.running;
  }

  /** One comparison of all partitions. */
  async run(): Promise<void> {
    const partitions = await partitionsToCompare(this.db).catch((error: Error) => {
      this.log.warn('Could not read the partitions; retrying.', { err: error });
      return [];
    });
    for (const partition of partitions) {
      if (this.stopping) return;
      await this.reconcile(partition);
    }
  }

  private async reconcile(partition: string): Promise<void> {
    const graceMs = this.settings.reconcileMs * graceShare;
    const { missed, checkClocks } = this;
    const steps: [keyof typeof sentences, () => Promise<number>][] = [
      ['change', () => this.apply(partition, () => missed.changes(partition, graceMs))],
      ['end', () => this.apply(partition, () => missed.ends(partition, graceMs))],
      ['timer', () => checkClocks.timers(partition)],
      ['suspension', () => checkClocks.suspensions(partition)],
      ['freeze', () => checkClocks.freezes(partition)],
      ['lease', () => checkClocks.leases(partition)],
      ['share', () => checkClocks.shares(partition)],
    ];
    for (const [what, step] of steps) {
      if (this.stopping) return;
      await this.try(partition, what, async () => this.found(what, partition, await step()));
    }
    await this.try(partition, 'unblocked', async () => {
      await this.unblockQueues.check(partition);
    });
    await this.try(partition, 'quota', async () => {
      const notMet = await this.checkQuotas.check(partition);
      if (notMet !== undefined) this.metrics.clocks.quotasNotMet(partition, notMet);
    });
  }

  /** What fails in one step, such as an event that cannot be applied, does not hold up the others. */
  private async try(partition: string, step: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // Another process changed the same clock; the next comparison sees the result.
      if (error instanceof StreamConflict) return;
      this.log.warn('Could not reconcile a partition; retrying.', { partition, step, err: error });
    }
  }

  /**
   * Applies what was missed, as the consumer would have. An event that fails does not hold up those of other queues.
   *
   * @returns how many events were applied.
   */
  private async apply(partition: string, find: () => Promise<ClockEvent[]>): Promise<number> {
    let applied = 0;
    for (;;) {
      const events = await find();
      if (events.length === 0 || this.stopping) return applied;
      try {
        await this.applyTogether(events);
      } catch (error) {
        if (error instanceof StreamConflict) throw error;
        return applied + (await this.applyEach(partition, events));
      }
      applied += events.length;
      if (events.length < queuesAtOnce) return applied;
    }
  }

  private async applyEach(partition: string, events: readonly ClockEvent[]): Promise<number> {
    let applied = 0;
    for (const event of events) {
      await this.try(partition, event.name, async () => {
        await this.applyTogether([event]);
        applied++;
      });
    }
    return applied;
  }

  private async applyTogether(events: readonly ClockEvent[]): Promise<void> {
    const usage = await this.clocks.usageFor(events);
    const { wakeUps, toCheck } = await this.db.transaction((tx) => this.clocks.apply(tx, events, usage));
    this.wakeUps.arm(wakeUps);
    for (const one of toCheck) this.wakeUps.check(one);
  }

  private found(what: keyof typeof sentences, partition: string, count: number): void {
    if (count === 0) return;
    this.metrics.clocks.reconciled(what, count);
    this.log.warn(sentences[what], { partition, count });
  }
}

const sentences = {
  change: 'Applied quota changes from the log that had not reached their clocks.',
  end: 'Released locks of runs whose end in the log had not reached their clocks.',
  timer: 'Corrected timers that differed from their clocks.',
  suspension: 'Resumed suspended clocks that nothing holds.',
  freeze: 'Made clocks due that waited for the end of freezes that no longer hold.',
  lease: 'Gave a lease to locks that had none.',
  share: 'Recorded the cluster share that is the quota of clocks.',
} as const;
