export { BullmqDoorbell, type BullmqDoorbellOptions } from './bullmq-doorbell.js';
export { DOORBELL, type Doorbell, type Ring } from './doorbell.js';
export {
  clearTimers,
  dueTimers,
  pendingTimers,
  setTimers,
  type Timer,
  type TimerKey,
  type TimerState,
} from './timer-table.js';
