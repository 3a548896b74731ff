import type { Clock } from '@curtail/event-store';
import type { Shutdown } from '@curtail/platform';
import { RepeatedWarning } from '@curtail/platform';
import { BullmqDoorbell, type Doorbell, type RedisOptions } from '@curtail/timers';
import type { Logger } from 'pino';

const name = 'curtail-timers';

/** The doorbell of the process; it ends with `shutdown`. On Redis it is not waited for: it rings when Redis is there. */
export async function openDoorbell(
  { databaseUrl, redis, clock }: { databaseUrl: string; redis: RedisOptions | undefined; clock: Clock },
  { log, shutdown }: { log: Logger; shutdown: Shutdown },
): Promise<Doorbell> {
  const trouble = new RepeatedWarning(
    log,
    'The queue of wake-ups reported an error; the sweep finds due timers.',
  );
  const onError = (error: Error) => trouble.say(error);
  const now = () => clock.now().getTime();
  const doorbell = redis
    ? BullmqDoorbell.openOnRedis({ name, redis, now, onError, onWarning: (warning) => log.warn(warning) })
    : await BullmqDoorbell.openOnPostgres({ name, databaseUrl, now, onError });
  shutdown.register('workers', 'the doorbell', () => doorbell.close());
  return doorbell;
}
