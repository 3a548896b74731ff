import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { configuredPartitions } from '#clusters';
import { coveringStop } from '#enforcement';
import { databaseTime } from '#event-store';
import { holdsIn } from '#holds';
import { newEnforcement } from './clocks/clock-event.js';
import { ClockSession } from './clocks/clock-session.js';
import { TIMER_SETTINGS, type TimerSettings } from './settings/timer-settings.js';

/** With the setting `onRestart: restart`, every running clock restarts when the service starts. §3.6 */
@Injectable()
export class RestartClocks {
  constructor(
    private readonly db: DataSource,
    @Inject(TIMER_SETTINGS) private readonly settings: TimerSettings,
  ) {}

  async run(): Promise<void> {
    const { onRestart, timerPolicy } = this.settings.policy;
    if (onRestart === 'keep') return;
    for (const partition of await configuredPartitions(this.db)) {
      await this.db.transaction(async (tx) => {
        const session = await ClockSession.withTurn(tx, partition, this.settings.leaseMs);
        const holds = await holdsIn(tx, partition);
        const at = (await databaseTime(tx)).toISOString();
        for (const queue of await session.loadPending(partition)) {
          session.decide(partition, queue, {
            kind: 'restart',
            at,
            onRestart,
            timerPolicy,
            usage: {},
            enabled: holds.enabled,
            stop: coveringStop(queue, holds.stops),
            newEnforcement: newEnforcement(),
          });
        }
        await session.save();
      });
    }
  }
}
