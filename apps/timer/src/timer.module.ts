import { Module } from '@nestjs/common';
import { Bell } from './bell.js';
import { EndLeases } from './end-leases.js';
import { KeepClocks } from './keep-clocks.js';
import { LookAtDue } from './look-at-due.js';
import { RestartClocks } from './restart-clocks.js';
import { TimerService } from './timer.service.js';

/** Waits, restarts on change, and starts one run per queue. */
@Module({
  providers: [Bell, EndLeases, KeepClocks, LookAtDue, RestartClocks, TimerService],
  exports: [KeepClocks, TimerService],
})
export class TimerModule {}
