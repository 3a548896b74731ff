export { limitInWords, overBy, sameAmounts, sameLimit, sameValues, valuesAt } from './amounts.js';
export {
  type AnswerDecision,
  type AnsweredRun,
  type AnswerFacts,
  type AnswerRefusal,
  decideAnswer,
  extensionEnd,
  type GivenAnswer,
} from './answers/decide-answer.js';
export type { LiveNeed, LivePlace, Starving } from './fair-share/live-need.js';
export {
  clockKey,
  type Observation,
  type Observed,
  type ObservedElement,
  type ObservedNode,
  observe,
  type StarvationClock,
} from './fair-share/starvation-clock.js';
export { type ClockAfterSave, clocksAfterSave, type QuotaChange } from './forecast/clocks-after-save.js';
export {
  afterApproval,
  afterResume,
  atDate,
  type ForecastClock,
  type ForecastRun,
  type ForecastStart,
  type ForecastVictim,
  type Moment,
  nextStart,
} from './forecast/next-start.js';
export {
  type CalledOff,
  cancelledClock,
  heldClock,
  observedOnly,
  switchedOff,
} from './foresight/called-off.js';
export {
  callOff,
  decideForesight,
  type ForesightCheck,
  type ForesightDecision,
  mostNamed,
} from './foresight/decide.js';
export {
  evolveForesight,
  type Foreseen,
  type Foresight,
  nothingForeseen,
  type PlannedOwner,
} from './foresight/state.js';
export { addMs, toInstant } from './instants.js';
export {
  changesAnything,
  type Judgement,
  judgeRound,
  type RoundToJudge,
  type VictimNote,
} from './intra-queue/judge-round.js';
export { type KeptNote, type OpenedRound, openRound } from './intra-queue/open-round.js';
export { ceilingForeseen } from './limits/ceiling-foreseen.js';
export {
  type Ceilings,
  type CeilingUse,
  ceilingReached,
  countedVictims,
  hasCeiling,
} from './limits/ceilings.js';
export {
  type EvictionRates,
  secondsToEvict,
  type Taken,
  type TokenBucket,
  takeTokens,
} from './limits/token-bucket.js';
export {
  isLimitedToObserve,
  type Mode,
  type ModeInForce,
  type ModeSettings,
  modeInForce,
  whyObserved,
} from './mode/mode-in-force.js';
export { runPolicies } from './policies.js';
export { type BudgetFacts, respectsBudgets } from './quota-decrease/disruption-budgets.js';
export { gangsOf, type LiveGang } from './quota-decrease/gangs.js';
export { type OwnerFacts, ownerBudgetsOf, ownerNames } from './quota-decrease/owner-budgets.js';
export type { CareFacts } from './quota-decrease/run-policy.js';
export { awaitsApproval, ceilingsLifted, isOverdue } from './run/abort-reason.js';
export { type KillAnswer, recordAnswer } from './run/answer.js';
export {
  type ChangeDecision,
  coveringStop,
  type Frozen,
  type LiveQueue,
  type RunControl,
  type RunLimits,
  type Stop,
  stopped,
  stoppedBy,
} from './run/control.js';
export { type PlanInBrief, tooLarge } from './run/end.js';
export type { QueueFacts, VictimFacts } from './run/facts.js';
export { endUncarried, settleUncarried } from './run/give-up.js';
export { nextStep } from './run/next-step.js';
export { type ApprovalTerms, approvalReason, type OpeningTerms, openRun } from './run/open.js';
export { extendedUntil, fromOpening, isReady } from './run/owner-answers.js';
export {
  hasOutcome,
  outcomeOfVictim,
  type PlannedRun,
  type PlannedVictim,
  type RunState,
  victimsWith,
} from './run/run-state.js';
export {
  evolveRun,
  extended,
  foldRun,
  followsCluster,
  initialRunState,
  isRound,
  killsWithGrace,
  notifiesInOneRound,
} from './run/state.js';
export type { Kill, Step } from './run/step.js';
export {
  emptyTally,
  otherIncarnation,
  type Settled,
  type Tally,
  tallied,
  type VictimOutcome,
} from './run/tally.js';
export { unitOf } from './run/unit.js';
export { victimNotified } from './run/victim-events.js';
export type { RunPolicy } from './run-policy.js';
export * from './schedule/commands.js';
export { decideSchedule, usageMatters } from './schedule/decide.js';
export { ancestorRuns, type DueQueue, firingOrder } from './schedule/firing-order.js';
export { type FlappingWait, flappingWait } from './schedule/flapping.js';
export { lateAfterMs } from './schedule/notices.js';
export {
  evolveSchedule,
  initialScheduleState,
  type PendingEnforcement,
  type RunningEnforcement,
  type ScheduleState,
  unconfigured,
} from './schedule/state.js';
export { needsPerson, type QueueHolds, type WhyAbove, whyAbove } from './schedule/why-above.js';
export { startsAt } from './starts-at.js';
export { replayTimeline, type TimelineResult } from './timeline/replay.js';
export {
  type ClockHolds,
  type WaitingClock,
  type WaitingRun,
  whyClockWaits,
  whyRunWaits,
} from './why-waiting.js';
