export { approveNotes, callOff, dropNotes, readNotes, writeNotes } from './notes.js';
export { notePreempted } from './preempted-applications.js';
export { notePreemptiveStarts } from './preemptive-nodes.js';
export {
  beginRound,
  isUnderWay,
  lastFailure,
  planningLeaseMs,
  type Round,
  RoundLost,
  type RoundPolicy,
  releaseRounds,
  renewPlanning,
  roundsWake,
  type SettledRound,
  settleRound,
  takeRound,
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
