export type * from './driver.js';
export * from './inventory/index.js';
export { composeSnapshot, type Overlay } from './planning-view/compose.js';
export { policiesInForce } from './planning-view/policies-in-force.js';
export { chainOf, type QueueInForce, queuesInForce } from './planning-view/queues-in-force.js';
export { type PlanningScope, takePlanningSnapshot } from './planning-view/take.js';
export { takeRoundSnapshot } from './planning-view/take-round.js';
export * from './simulated/index.js';
export * from './tokens.js';
