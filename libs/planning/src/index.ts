export { plan } from './plan.js';
export { planInput } from './plan-input.js';
export type { Snapshot } from './snapshot/columns.js';
export { readSnapshot } from './snapshot/read.js';
export { readTrigger } from './trigger.js';
