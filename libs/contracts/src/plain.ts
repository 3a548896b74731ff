/**
 * The part of the contracts that loads no library: a planner offline is done in the time that zod and yaml take to load.
 * Everything here is in `@curtail/contracts` as well.
 */
export { InputError } from './input-error.js';
export { amountText } from './planning/amount-text.js';
export type * from './planning/plan.js';
export { type ReadProtect, type ReadSettings, readSettings } from './planning/settings.js';
