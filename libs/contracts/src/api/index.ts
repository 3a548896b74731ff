/**
 * The answers of the HTTP API: a zod schema each, and its type. Schemas load zod, so a program that must start fast imports types only.
 */

export * from './configuration.js';
export * from './dead-letters.js';
export * from './enforcements.js';
export * from './explanations.js';
export * from './history.js';
export * from './inventory.js';
export * from './log.js';
export * from './names.js';
export * from './operator.js';
export * from './owners.js';
export * from './plans.js';
export * from './preview.js';
export * from './problem.js';
export * from './queues.js';
export * from './replays.js';
export * from './settings.js';
export * from './shapes.js';
export * from './simulation.js';
export * from './status.js';
export * from './webhook.js';
export * from './what-if.js';
