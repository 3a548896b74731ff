export { countAsLeaving, noMoreLeaving } from './count-as-leaving.js';
export { forgetClocks, starvationTimer } from './fair-share/starvation-clocks.js';
export {
  type MadeRound,
  type PlannedRound,
  type RoundsOfPartition,
  SettingsChanged,
  StaleObservation,
} from './planned-round.js';
export { roundPolicies } from './policies.js';
export type { Effect, GivenUpRun, Places, RoundPolicy, SettledVictim } from './round-policy.js';
export {
  beginRound,
  endOutdatedRounds,
  lastFailure,
  lockRounds,
  partitionState,
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
