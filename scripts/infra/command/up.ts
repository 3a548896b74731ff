import type { Server } from '../server/server.js';
import type { Three } from './three.js';

/**
 * Starts what does not run, all at once, and waits until each is ready. If one cannot be started, those that this call has
 * started are stopped. @throws the error of the first that failed
 */
export async function startThree(three: Three): Promise<void> {
  const started: Server[] = [];
  const outcomes = await Promise.allSettled(
    [three.kafka, three.redis, three.postgres].map(async (server) => {
      if (!(await server.find())) started.push(server);
      await server.start();
    }),
  );
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (!failed) return;
  await Promise.all(started.map((server) => server.stop()));
  throw failed.reason;
}

export async function stopThree({ kafka, redis, postgres }: Three): Promise<void> {
  await Promise.all([kafka.stop(), redis.stop(), postgres.stop()]);
}
