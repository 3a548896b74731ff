export { approveNotes, dropNotes, readNotes, writeNotes } from './notes.js';
export { notePreempted } from './preempted-applications.js';
export {
  beginRound,
  lastFailure,
  planningLeaseMs,
  type Round,
  RoundLost,
  releaseRounds,
  renewPlanning,
  roundsWake,
  type SettledRound,
  settleRound,
  takeRound,
} from './round-table.js';
