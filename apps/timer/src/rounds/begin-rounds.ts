import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { databaseTime, type Tx } from '#event-store';
import { Metrics } from '#platform';
import { beginRound, lockRounds, type RoundPolicy, underWaySince } from '#rounds';
import { clearTimers, dueTimers, lastDueTimer, setTimers, type WakeUp } from '#timers';
import { newEnforcement } from '../clocks/clock-event.js';
import { TIMER_SETTINGS, type TimerSettings } from '../settings/timer-settings.js';
import { WakeUps } from '../wake-ups/wake-ups.js';
import { intervalInForce } from './keep-round-clocks.js';
import { nextRoundAt } from './next-round.js';

/** The delay before a wake-up is repeated that finds a round under way from before its timer was due. */
const askAgainMs = 200;

/**
 * Begins rounds: at their interval, and when a timer of the policy's own is due. A wake-up or the sweep triggers the
 * check; the process that finds a due timer of the partition under its lock sets it for the next interval and begins
 * the round, in one transaction. So each interval yields one round, however many processes are woken, and however
 * often.
 *
 * An interval that ends while a round is under way is skipped. A timer of the policy's own is not: it stays due until a
 * round that began after it has planned, and is checked again until then. So overdue timers cause one round after a
 * restart, at once. A later plan may use a snapshot from before the timer, of a scheduler that is silent for a while.
 * Then the timer stays due, and the next plan follows no sooner than the next interval or sweep: nothing new is known
 * until the scheduler reports.
 *
 * A crash before the commit leaves the timer due: the sweep of any process finds it. A crash after the commit leaves a
 * round that planners find by themselves, and a timer that the sweep finds if its wake-up was never requested.
 */
@Injectable()
export class BeginRounds {
  private readonly log = new Logger('Monitor');

  constructor(
    private readonly db: DataSource,
    private readonly wakeUps: WakeUps,
    private readonly metrics: Metrics,
    @Inject(TIMER_SETTINGS) private readonly settings: TimerSettings,
  ) {}

  async ifDue(policy: RoundPolicy, partition: string): Promise<void> {
    this.wakeUps.arm(await this.db.transaction((tx) => this.begin(tx, policy, partition)));
  }

  /** @returns the wake-ups to request. */
  private async begin(tx: Tx, policy: RoundPolicy, partition: string): Promise<WakeUp[]> {
    const { name, ownTimers } = policy;
    await lockRounds(tx, partition);
    const now = await databaseTime(tx);
    const [interval] = await dueTimers(tx, name, now, { partition, limit: 1 });
    const next = interval && (await this.setNext(tx, policy, interval, now));
    if (interval && !next) await policy.switchedOff?.(tx, partition, now);
    const [own] = ownTimers ? await dueTimers(tx, ownTimers.kind, now, { partition, limit: 1 }) : [];
    const due = [...(next ? [interval] : []), ...(own ? [own] : [])];
    const [first] = due.sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime());
    if (!first) return [];
    const wakeUps = next ? [next] : [];
    const since = interval || !ownTimers ? undefined : await underWaySince(tx, name, partition);
    if (since && ownTimers) {
      const last = await lastDueTimer(tx, ownTimers.kind, partition, now);
      return last && since < last.dueAt ? [{ ...last, dueAt: new Date(now.getTime() + askAgainMs) }] : [];
    }
    const enforcement = newEnforcement('r');
    const begun = await beginRound(tx, { policy: name, partition, enforcement, dueAt: first.dueAt, now });
    if (begun === 'skipped') {
      this.metrics.rounds.skipped(name);
      this.log.debug('Skipped a round: the previous one is still in progress.', { partition, policy: name });
    }
    return wakeUps;
  }

  /** @returns undefined if the configuration in force no longer has rounds; then the timer is cleared. */
  private async setNext(tx: Tx, policy: RoundPolicy, due: WakeUp, now: Date): Promise<WakeUp | undefined> {
    const { kind, partition, name } = due;
    const intervalMs = await intervalInForce(tx, policy, partition, this.settings);
    if (intervalMs === undefined) {
      await clearTimers(tx, [{ kind, partition, name }]);
      return undefined;
    }
    const dueAt = nextRoundAt(due.dueAt, now, intervalMs);
    const next = { kind, partition, name, generation: due.generation + 1, dueAt };
    await setTimers(tx, [{ ...next, state: 'pending' }]);
    return next;
  }
}
