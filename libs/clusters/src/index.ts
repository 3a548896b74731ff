export type * from './driver.js';
export * from './inventory/index.js';
export { type FeedMessages, noteFeeds, trimFeeds } from './inventory/senders.js';
export {
  composeSnapshot,
  NodesUnknown,
  ProposedQueues,
  withFurtherVictims,
  withLeaving,
  withOverrides,
} from './planning-view/compose.js';
export {
  configuredPartitions,
  flappingInForce,
  NODE_LABELS_OF,
  policiesInForce,
  type QueueInForce,
  type QueueOfPartition,
  queuesInForce,
  queuesOfPartitions,
  settingOverrides,
} from './planning-view/in-force.js';
export {
  planningVersions,
  type RoundScope,
  readAheadOfPlan,
  takePlanningSnapshot,
  takeRoundSnapshot,
} from './planning-view/take.js';
export * from './simulated/index.js';
export { recordCheckpoint } from './tables/statements.js';
export * from './tokens.js';
export {
  assertPartition,
  TooManyAllocations,
  unknownPartition,
  unknownPlace,
  unknownQueue,
} from './unknown-place.js';
