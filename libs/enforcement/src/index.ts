export * from './schedule/commands.js';
export { decideSchedule } from './schedule/decide.js';
export { ancestorRuns, ancestors, type DueQueue, firingOrder } from './schedule/firing-order.js';
export { lateAfterMs } from './schedule/notices.js';
export {
  evolveSchedule,
  initialScheduleState,
  type PendingEnforcement,
  type RunningEnforcement,
  type ScheduleState,
  unconfigured,
} from './schedule/state.js';
export { replayTimeline, type TimelineResult } from './timeline/replay.js';
