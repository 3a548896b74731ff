export {
  BullmqDoorbell,
  type DoorbellOptions,
  type PostgresDoorbellOptions,
  type RedisDoorbellOptions,
} from './bullmq-doorbell.js';
export { DOORBELL, type Doorbell, type Ring } from './doorbell.js';
export { probeRedis } from './redis/probe-redis.js';
export type { RedisOptions } from './redis/redis-options.js';
export {
  clearTimers,
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
