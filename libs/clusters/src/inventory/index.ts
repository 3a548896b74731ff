export { AnswerBell } from './answer-bell.js';
export { InventoryUnknown } from './assert-known.js';
export { EvictionAnswers } from './eviction-answers.js';
export { EvictionRequests, NoAnswer } from './eviction-requests.js';
export { InventoryCluster } from './inventory-cluster.js';
export {
  type HeldListing,
  InventoryControl,
  type InventoryNotice,
  type InventoryStatus,
  type PartitionStatus,
} from './inventory-control.js';
export { InventoryReports } from './inventory-reports.js';
export { clusterOfPartition } from './one-cluster.js';
export { type ClockSkew, clockSkew, clockSkews } from './platform-clocks.js';
export type { ReportsWatermark, UnreadReports } from './reports-watermark.js';
