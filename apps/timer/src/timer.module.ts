import { Module } from '@nestjs/common';
import { ClockEvents } from './clock-events.js';
import { EndLeases } from './end-leases.js';
import { KeepClocks } from './keep-clocks.js';
import { LookAtDue } from './look-at-due.js';
import { CheckClocks } from './reconcile/check-clocks.js';
import { CheckQuotas } from './reconcile/check-quotas.js';
import { FindMissedEvents } from './reconcile/missed-events.js';
import { Reconciler } from './reconcile/reconciler.js';
import { RestartClocks } from './restart-clocks.js';
import { BeginFairShareRounds } from './rounds/begin-fair-share-rounds.js';
import { BeginRounds } from './rounds/begin-rounds.js';
import { KeepMonitors } from './rounds/keep-monitors.js';
import { StarvationWakeUps } from './rounds/starvation-wake-ups.js';
import { TimerService } from './timer.service.js';
import { WakeUps } from './wake-ups.js';

/** Waits, restarts on change, and starts one run per queue. */
@Module({
  providers: [
    WakeUps,
    BeginFairShareRounds,
    BeginRounds,
    ClockEvents,
    CheckClocks,
    CheckQuotas,
    EndLeases,
    FindMissedEvents,
    KeepClocks,
    KeepMonitors,
    LookAtDue,
    Reconciler,
    RestartClocks,
    StarvationWakeUps,
    TimerService,
  ],
  exports: [KeepClocks, Reconciler, StarvationWakeUps, TimerService],
})
export class TimerModule {}
