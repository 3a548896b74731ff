export { BullmqWakeUpQueue } from './bullmq-wake-up-queue.js';
export {
  clearLeftOver,
  partitionsWaitingForSize,
  resumeBelow,
  resumeForSize,
  resumeUnheld,
  setMissingTimers,
} from './queue-timers.js';
export { probeRedis, type RedisOptions } from './redis/redis-options.js';
export {
  clearDueTimers,
  clearTimers,
  clearTimersOf,
  dueMoments,
  duePartitions,
  dueTimers,
  holdTimers,
  lastDueTimer,
  pendingTimers,
  setTimers,
  type Timer,
  type TimerKey,
  type TimerState,
} from './timer-table.js';
export { WAKE_UP_QUEUE, type WakeUp, type WakeUpQueue } from './wake-up-queue.js';
