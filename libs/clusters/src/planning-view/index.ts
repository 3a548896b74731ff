/* What a plan is made from, once it is read: pure, so that a command without a server loads no database. */
export {
  composeSnapshot,
  NodesUnknown,
  withFurtherVictims,
  withLeaving,
  withOverrides,
} from './compose.js';
export type { QueueInForce, SettingOverrides } from './in-force.js';
