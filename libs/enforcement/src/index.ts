export { ancestors, chain, isWithin } from './queue-path.js';
export { type KillAnswer, recordAnswer } from './run/answer.js';
export type { LiveQueue, RunControl, RunLimits, Stop } from './run/control.js';
export { type Kill, nextStep, type Step } from './run/next-step.js';
export { type OpeningTerms, openRun } from './run/open.js';
export { evolveRun, foldRun, initialRunState, type RunState, type VictimOutcome } from './run/state.js';
export type { VictimFacts } from './run/victim-checks.js';
export * from './schedule/commands.js';
export { decideSchedule } from './schedule/decide.js';
export { ancestorRuns, type DueQueue, firingOrder } from './schedule/firing-order.js';
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
