/**
 * The answers of the HTTP API: a zod schema each, and its type. Schemas load zod, so a program that must start fast imports types only.
 */

export * from './access.js';
export * from './answers.js';
export * from './archive.js';
export * from './configuration.js';
export * from './configuration-history.js';
export * from './dead-letters.js';
export * from './enforcements.js';
export * from './explanations.js';
export * from './foreseen.js';
export * from './inventory.js';
export type * from './lists.js';
export * from './log.js';
export * from './names.js';
export * from './operator.js';
export * from './plans.js';
export * from './preview.js';
export * from './problem.js';
export * from './queue-history.js';
export * from './queues.js';
export * from './replays.js';
export * from './report.js';
export * from './settings.js';
export { amounts, noticeShape, outcome, pageOf, planNotice, subjectView } from './shapes.js';
export * from './simulation.js';
export * from './status.js';
export * from './webhook.js';
export * from './what-if.js';
