/** What the HTTP API answers. Types only: nothing is loaded. */

export type * from './archive.js';
export type * from './configuration.js';
export type * from './dead-letters.js';
export type * from './enforcements.js';
export type * from './explanations.js';
export type * from './inventory.js';
export type * from './lists.js';
export type * from './log.js';
export type * from './preview.js';
export type * from './queues.js';
export type * from './replays.js';
export type * from './rounds.js';
export type * from './simulation.js';
