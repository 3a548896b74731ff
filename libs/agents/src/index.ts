export type * from './inventory-changes.js';
