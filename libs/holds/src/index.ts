export { AWAITS_APPROVAL, statusOfOpenRun } from './approvals.js';
export {
  DECISION_ON,
  type Decision,
  isInForce,
  type RejectedChange,
  rejectedChange,
  saveDecision,
} from './decisions.js';
export { type ConfigurationDecision, type KillSwitch, PartitionMode } from './entities.js';
export { EVICTION_HOLDS, type EvictionHolds, whyHeld } from './eviction-holds.js';
export {
  dropFreezes,
  FROZEN_PARTITIONS,
  freezesIn,
  mostFreezes,
  type NewFreeze,
  putConfiguredFreezes,
  saveFreeze,
} from './freezes/freeze-table.js';
export * from './freezes/index.js';
export {
  HELD_PARTITIONS,
  HOLDS_OF,
  type Holds,
  heldBy,
  holdsIn,
  holdsOf,
  isObserved,
  noHolds,
  stopsAt,
} from './holds.js';
export { MODE_OF, modesSet, saveMode } from './modes.js';
export { dropStops, SET_STOPS_OF, STOPPED, type StopKind, saveStop, setStops, stopKinds } from './stops.js';
