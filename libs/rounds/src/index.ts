export { noMoreLeaving } from './count-as-leaving.js';
export { endOutdatedRounds } from './end-outdated.js';
export { keepView } from './fair-share-view.js';
export { type LeftAlone, leaveAlone, readLeftAlone } from './left-alone.js';
export { approveNotes, callOff, dropNotes, type NotesKey, readNotes, writeNotes } from './notes.js';
export {
  type MadeRound,
  type PlannedRound,
  type PlanningTerms,
  type RoundStanding,
  SettingsChanged,
} from './planned-round.js';
export { roundPolicies, roundPolicyOf } from './policies.js';
export { notePreempted } from './preempted-applications.js';
export { notePreemptiveStarts, trimPreemptiveNodes } from './preemptive-nodes.js';
export type { Effect, GivenUpRun, Places, RoundPolicy, SettledVictim } from './round-policy.js';
export {
  beginRound,
  lastFailure,
  planningLeaseMs,
  type Round,
  type RoundFailure,
  RoundLost,
  type RoundName,
  releaseRound,
  releaseRounds,
  renewExecutingRounds,
  renewPlanning,
  roundsWake,
  type SettledRound,
  settleRound,
  takeRound,
  underWaySince,
} from './round-table.js';
export {
  backOffTimer,
  forgetClocks,
  readClocks,
  recordObservation,
  StaleObservation,
  starvationStream,
  starvationTimer,
} from './starvation-clocks.js';
