export {
  AWAITS_APPROVAL,
  DECISION_ON,
  type Decision,
  findRejectedChange,
  isInForce,
  type RejectedChange,
  saveDecision,
  statusOfOpenRun,
} from './decisions.js';
export { PartitionMode } from './entities.js';
export { EVICTION_HOLDS, type EvictionHolds, whyHeld } from './eviction-holds.js';
export {
  dropFreezes,
  FROZEN_PARTITIONS,
  freezesIn,
  HAS_CONFIGURED_FREEZES,
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
  MODE_OF,
  modesSet,
  noHolds,
  saveMode,
  stopsAt,
} from './holds.js';
export { dropStops, SET_STOPS_OF, STOPPED, type StopKind, saveStop, setStops, stopKinds } from './stops.js';
