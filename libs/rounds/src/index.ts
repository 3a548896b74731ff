export { countAsLeaving, noMoreLeaving } from './count-as-leaving.js';
export { endOutdatedRounds } from './end-outdated.js';
export { type ExemptWork, exemptWork, readExemptWork } from './fair-share/exempt-work.js';
export { notePreemptiveStarts, trimPreemptiveNodes } from './fair-share/preemptive-nodes.js';
export {
  backOffTimer,
  forgetClocks,
  readClocks,
  recordObservation,
  StaleObservation,
  starvationStream,
  starvationTimer,
} from './fair-share/starvation-clocks.js';
export { keepView } from './fair-share/view.js';
export {
  approveNotes,
  callOff,
  dropNotes,
  type NotesKey,
  readNotes,
  writeNotes,
} from './intra-queue/notes.js';
export { notePreempted } from './intra-queue/preempted-applications.js';
export {
  type MadeRound,
  type PartitionState,
  type PlannedRound,
  type PlanningTerms,
  SettingsChanged,
} from './planned-round.js';
export { roundPolicies } from './policies.js';
export type { Effect, GivenUpRun, Places, RoundPolicy, SettledVictim } from './round-policy.js';
export {
  beginRound,
  lastFailure,
  planningLeaseMs,
  type Round,
  type RoundFailure,
  RoundLost,
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
