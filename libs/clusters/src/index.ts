export type * from './driver.js';
export { type FeedMessages, noteFeeds, trimFeeds } from './feeds/feeds.js';
export * from './inventory/index.js';
export { composeSnapshot, NodesUnknown, ProposedQueues, withLeaving } from './planning-view/compose.js';
export { flappingInForce, type QueueOfPartition } from './planning-view/flapping-in-force.js';
export { policiesInForce } from './planning-view/policies-in-force.js';
export { NODE_LABELS_OF, type QueueInForce, queuesInForce } from './planning-view/queues-in-force.js';
export { withFurtherVictims } from './planning-view/recent-victims.js';
export { settingOverrides, withOverrides } from './planning-view/setting-overrides.js';
export { readAheadOfPlan, takePlanningSnapshot } from './planning-view/take.js';
export { type RoundScope, takeRoundSnapshot } from './planning-view/take-round.js';
export * from './simulated/index.js';
export { type Checkpoint, recordCheckpoint } from './tables/record-checkpoint.js';
export * from './tokens.js';
export { TooManyAllocations } from './too-many-allocations.js';
export {
  assertPartition,
  unknownPartition,
  unknownPlace,
  unknownQueue,
} from './unknown-place.js';
