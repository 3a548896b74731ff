export type * from './driver.js';
