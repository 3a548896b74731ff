/* What a plan is made from, once it is read: pure, so that a command without a server loads no database. */
export { composeSnapshot, NodesUnknown, ProposedQueues, withLeaving } from './compose.js';
export type { QueueInForce } from './queues-in-force.js';
export { withFurtherVictims } from './recent-victims.js';
export { type SettingOverrides, withOverrides } from './setting-overrides.js';
