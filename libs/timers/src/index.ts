export { BullmqDoorbell, type BullmqDoorbellOptions } from './bullmq-doorbell.js';
export type { Doorbell, Ring } from './doorbell.js';
export {
  clearTimers,
  dueTimers,
  pendingTimers,
  setTimers,
  type Timer,
  type TimerKey,
  type TimerState,
} from './timer-table.js';
