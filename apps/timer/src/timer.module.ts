import { Module } from '@nestjs/common';
import { Bell } from './bell.js';
import { ClockEvents } from './clock-events.js';
import { EndLeases } from './end-leases.js';
import { KeepClocks } from './keep-clocks.js';
import { LookAtDue } from './look-at-due.js';
import { CheckClocks } from './reconcile/check-clocks.js';
import { CheckQuotas } from './reconcile/check-quotas.js';
import { FindMissedEvents } from './reconcile/missed-events.js';
import { Reconciler } from './reconcile/reconciler.js';
import { RestartClocks } from './restart-clocks.js';
import { BeginRounds } from './rounds/begin-rounds.js';
import { KeepRoundTimers } from './rounds/keep-round-timers.js';
import { RingOwnTimers } from './rounds/ring-own-timers.js';
import { TimerService } from './timer.service.js';

/** Waits, restarts on change, and starts one run per queue. */
@Module({
  providers: [
    Bell,
    BeginRounds,
    ClockEvents,
    CheckClocks,
    CheckQuotas,
    EndLeases,
    FindMissedEvents,
    KeepClocks,
    KeepRoundTimers,
    LookAtDue,
    Reconciler,
    RestartClocks,
    RingOwnTimers,
    TimerService,
  ],
  exports: [KeepClocks, Reconciler, RingOwnTimers, TimerService],
})
export class TimerModule {}
