export { limitInWords, overBy, sameAmounts, sameLimit, sameValues } from './amounts.js';
export {
  type AnsweredRun,
  type AnswerFacts,
  type AnswerRefusal,
  decideAnswer,
  extensionEnd,
  type GivenAnswer,
} from './answers/decide-answer.js';
export * from './clock/commands.js';
export { decideClock, usageMatters } from './clock/decide.js';
export { type FlappingWait, flappingWait } from './clock/flapping.js';
export {
  type ClockState,
  evolveClock,
  initialClockState,
  type PendingRun,
  unconfigured,
} from './clock/state.js';
export { ancestorRuns, firingOrder } from './clock/table.js';
export { needsPerson, whyAbove } from './clock/why-above.js';
export type { LiveNeed, LivePlace, Starving } from './fair-share/live-need.js';
export { type Observation, observe, type StarvationClock } from './fair-share/starvation-clock.js';
export { type ClockAfterSave, clocksAfterSave, type QuotaChange } from './forecast/clocks-after-save.js';
export {
  clockUnblocked,
  mostAllocationsToUnblock,
  nearBusy,
  queuesToUnblock,
} from './forecast/clocks-unblocked.js';
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
export { callOff, decideForesight, type ForesightCheck, mostNamed } from './foresight/decide.js';
export {
  type CalledOff,
  cancelledClock,
  type Foreseen,
  type Foresight,
  heldClock,
  nothingForeseen,
  observedOnly,
  type PlannedOwner,
  switchedOff,
} from './foresight/state.js';
export { addMs, toInstant } from './instants.js';
export { changesAnything, judgeRound } from './intra-queue/judge-round.js';
export { type KeptNote, openRound } from './intra-queue/open-round.js';
export { ceilingForeseen } from './limits/ceiling-foreseen.js';
export {
  type Ceilings,
  type CeilingUse,
  ceilingReached,
  countedVictims,
  hasCeiling,
} from './limits/ceilings.js';
export { secondsToEvict, takeTokens } from './limits/token-bucket.js';
export {
  isLimitedToObserve,
  type Mode,
  type ModeInForce,
  type ModeSettings,
  modeInForce,
  whyObserved,
} from './mode/mode-in-force.js';
export { runPolicies } from './policies.js';
export { respectsBudgets } from './quota-decrease/disruption-budgets.js';
export { gangsOf } from './quota-decrease/gangs.js';
export { type OwnerFacts, ownerBudgetsOf, ownerNames } from './quota-decrease/owner-budgets.js';
export type { CareFacts } from './quota-decrease/run-policy.js';
export { ceilingsLifted, isOverdue } from './run/abort-reason.js';
export { recordAnswer } from './run/answer.js';
export {
  type ChangeDecision,
  coveringStop,
  type Frozen,
  type LiveQueue,
  type RunControl,
  type Stop,
  stopped,
  stoppedBy,
} from './run/control.js';
export { type PlanInBrief, tooLarge } from './run/end.js';
export type { QueueFacts, VictimFacts } from './run/facts.js';
export { endUncarried, settleUncarried } from './run/give-up.js';
export { nextStep } from './run/next-step.js';
export { approvalReason, type OpeningTerms, openRun } from './run/open.js';
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
} from './run/state.js';
export type { Eviction, Step } from './run/step.js';
export {
  emptyTally,
  otherIncarnation,
  type Settled,
  type Tally,
  tallied,
  type VictimOutcome,
} from './run/tally.js';
export { unitOf } from './run/unit.js';
export { victimNotifiedEvent } from './run/victim-events.js';
export type { RunPolicy } from './run-policy.js';
export { runStartsAt } from './starts-at.js';
export { replayTimeline, type TimelineResult } from './timeline/replay.js';
export {
  type ClockHolds,
  type WaitingClock,
  type WaitingRun,
  whyClockWaits,
  whyRunWaits,
} from './why-waiting.js';
