export type * from './driver.js';
export * from './simulated/index.js';
