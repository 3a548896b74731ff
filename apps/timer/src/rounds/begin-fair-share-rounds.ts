import { policiesInForce } from '@curtail/clusters';
import { databaseTime, type Tx } from '@curtail/event-store';
import { Metrics } from '@curtail/platform';
import { beginRound, starvationTimer, underWaySince } from '@curtail/rounds';
import { clearTimers, dueTimers, lastDueTimer, setTimers, type WakeUp } from '@curtail/timers';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { newEnforcement } from '../new-enforcement.js';
import { TIMER_SETTINGS, type TimerSettings } from '../timer-settings.js';
import { WakeUps } from '../wake-ups.js';
import { lockMonitor } from './keep-monitors.js';
import { fairShare, nextBeat } from './monitored.js';

/** How soon a wake-up is repeated that finds a round under way from before its timer was due. */
const askAgainMs = 200;

/**
 * Begins rounds of fair-share: with the beat of a partition, and whenever something there has lasted too long. A wake-up, or the
 * sweep, asks; who finds a timer of the partition due under its lock begins the round, whose plan is the next observation.
 *
 * A beat that finds a round under way is left out. A timer of starvation is not: it stays due until a look that came after it
 * (`recordObservation`), and is asked about again until then. So after a restart what is overdue is one round, at once.
 *
 * A look that came after it may show a picture from before it, of a scheduler that is silent for a while. Then the timer stays due,
 * and no sooner than the next beat or sweep is there another look: nothing more is known until the scheduler speaks.
 */
@Injectable()
export class BeginFairShareRounds {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(WakeUps) private readonly wakeUps: WakeUps,
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(TIMER_SETTINGS) private readonly settings: TimerSettings,
  ) {}

  async wakeUp(partition: string): Promise<void> {
    this.wakeUps.arm(await this.db.transaction((tx) => this.begin(tx, partition)));
  }

  /** @returns the wake-ups to request. */
  private async begin(tx: Tx, partition: string): Promise<WakeUp[]> {
    await lockMonitor(tx, partition);
    const now = await databaseTime(tx);
    const [beat] = await dueTimers(tx, fairShare, now, { partition, limit: 1 });
    const [starving] = await dueTimers(tx, starvationTimer, now, { partition, limit: 1 });
    const dueAt = [beat, starving]
      .flatMap((timer) => timer?.dueAt ?? [])
      .sort((a, b) => a.getTime() - b.getTime())[0];
    if (!dueAt) return [];
    const wakeUps: WakeUp[] = [];
    if (beat) wakeUps.push(...(await this.setNextBeat(tx, beat, now)));
    const since = beat ? undefined : await underWaySince(tx, fairShare, partition);
    if (since) {
      const last = await lastDueTimer(tx, starvationTimer, partition, now);
      return last && since < last.dueAt ? [{ ...last, dueAt: new Date(now.getTime() + askAgainMs) }] : [];
    }
    const enforcement = newEnforcement('r');
    const begun = await beginRound(tx, { policy: fairShare, partition, enforcement, dueAt, now });
    if (begun === 'skipped') this.metrics.roundSkipped(fairShare);
    return wakeUps;
  }

  private async setNextBeat(tx: Tx, beat: WakeUp, now: Date): Promise<WakeUp[]> {
    const { kind, partition, name } = beat;
    if ((await policiesInForce(tx, partition)).get(partition)?.[fairShare] === undefined) {
      await clearTimers(tx, [{ kind, partition, name }]);
      return [];
    }
    const dueAt = nextBeat(beat.dueAt, now, this.settings.fairShareIntervalMs);
    const next = { kind, partition, name, generation: beat.generation + 1, dueAt };
    await setTimers(tx, [{ ...next, state: 'pending' }]);
    return [next];
  }
}
