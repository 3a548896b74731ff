export { planAndObserveFairShare, planFairShare } from './fair-share/plan.js';
export type { FairShareSnapshot } from './fair-share/snapshot/columns.js';
export { readFairShareSnapshot } from './fair-share/snapshot/read.js';
export { planIntraQueue } from './intra-queue/plan.js';
export { plan } from './plan.js';
export { planInput } from './plan-input.js';
export type { Snapshot } from './snapshot/columns.js';
export { readSnapshot } from './snapshot/read.js';
export { readTrigger } from './trigger.js';
