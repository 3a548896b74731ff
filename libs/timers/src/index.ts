export {
  BullmqDoorbell,
  type DoorbellOptions,
  type PostgresDoorbellOptions,
  type RedisDoorbellOptions,
} from './bullmq-doorbell.js';
export { DOORBELL, type Doorbell, type Ring } from './doorbell.js';
export {
  clearLeftOver,
  partitionsWaitingForSize,
  resumeBelow,
  resumeForSize,
  resumeUnheld,
  setMissingTimers,
} from './queue-timers.js';
export { probeRedis } from './redis/probe-redis.js';
export type { RedisOptions } from './redis/redis-options.js';
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
