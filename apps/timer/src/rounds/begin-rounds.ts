import { policiesInForce } from '@curtail/clusters';
import { databaseTime, type Tx } from '@curtail/event-store';
import { Metrics } from '@curtail/platform';
import { beginRound, callOff } from '@curtail/rounds';
import { clearTimers, dueTimers, setTimers, type Timer } from '@curtail/timers';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { newEnforcement } from '../new-enforcement.js';
import { WakeUps } from '../wake-ups.js';
import { lockMonitor } from './keep-monitors.js';
import { monitoringIntervalMs, nextBeat, roundPolicy } from './monitored.js';

/**
 * The beat of the rounds. A wake-up, or the sweep, asks; who finds the timer of the partition due under its lock sets it for the
 * next beat and begins the round, in one transaction. So a beat is one beat however often and wherever it wakes.
 *
 * A crash before the commit leaves the timer due: the sweep of any process finds it. One after it leaves a round that planners
 * find by themselves, and a timer that the sweep finds if its wake-up was never requested.
 */
@Injectable()
export class BeginRounds {
  private readonly log = new Logger('Monitor');

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(WakeUps) private readonly wakeUps: WakeUps,
    @Inject(Metrics) private readonly metrics: Metrics,
  ) {}

  async beat(partition: string): Promise<void> {
    const next = await this.db.transaction((tx) => this.begin(tx, partition));
    if (next) this.wakeUps.arm([next]);
  }

  /** @returns the timer of the next beat; undefined if nothing was due. */
  private async begin(tx: Tx, partition: string): Promise<Timer | undefined> {
    await lockMonitor(tx, partition);
    const now = await databaseTime(tx);
    const [timer] = await dueTimers(tx, roundPolicy, now, { partition, limit: 1 });
    if (!timer) return undefined;
    const intervalMs = monitoringIntervalMs((await policiesInForce(tx, partition)).get(partition));
    if (intervalMs === undefined) {
      await clearTimers(tx, [timer]);
      await callOff(tx, { policy: roundPolicy, partition });
      return undefined;
    }
    const next = {
      ...timer,
      generation: timer.generation + 1,
      dueAt: nextBeat(timer.dueAt, now, intervalMs),
    };
    await setTimers(tx, [next]);
    const begun = await beginRound(tx, {
      policy: roundPolicy,
      partition,
      enforcement: newEnforcement('r'),
      dueAt: timer.dueAt,
      now,
    });
    if (begun === 'skipped') {
      this.metrics.roundSkipped(roundPolicy);
      this.log.debug('Skipped a round: the previous one is still in progress.', { partition });
    }
    return next;
  }
}
