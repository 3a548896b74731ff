export * from './configuration/index.js';
export * from './events/catalog.js';
export type { ConfiguredQueue } from './events/config.js';
export type { EnforcementOutcome } from './events/enforcement.js';
export type { QuotaValues } from './events/shapes.js';
export { InputError } from './input-error.js';
export type * from './planning/plan.js';
export type * from './planning/resources.js';
export type * from './planning/snapshot.js';
