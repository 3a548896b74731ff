import type { Logger } from 'pino';
import type { Clock } from '#event-store';
import type { Shutdown } from '#platform';
import { RepeatedWarning } from '#platform';
import { BullmqWakeUpQueue, type RedisOptions, type WakeUpQueue } from '#timers';

const name = 'curtail-timers';

/**
 * The wake-up queue of the process; it ends with `shutdown`. The start does not wait for Redis: wake-ups arrive once it
 * is reachable.
 */
export async function openWakeUpQueue(
  { databaseUrl, redis, clock }: { databaseUrl: string; redis: RedisOptions | undefined; clock: Clock },
  { log, shutdown }: { log: Logger; shutdown: Shutdown },
): Promise<WakeUpQueue> {
  const trouble = new RepeatedWarning(
    log,
    'The queue of wake-ups reported an error; the sweep will find due timers.',
  );
  const onError = (error: Error) => trouble.warn(error);
  const now = () => clock.now().getTime();
  const wakeUpQueue = redis
    ? BullmqWakeUpQueue.openOnRedis({
        name,
        redis,
        now,
        onError,
        onWarning: (warning) => log.warn({ wakeUpQueue: name }, warning),
      })
    : await BullmqWakeUpQueue.openOnPostgres({ name, databaseUrl, now, onError });
  shutdown.register('workers', 'the wake-up queue', () => wakeUpQueue.close());
  return wakeUpQueue;
}
