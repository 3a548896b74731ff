import { setTimeout as pause } from 'node:timers/promises';
import { NoAnswerError, ServerError } from '../server/server-error.js';

const againMs = 500;

/**
 * Reads from a server, and retries while it or its database is down. The scenario continues on the server meanwhile; restarting it
 * would lose it.
 *
 * @param waits called once, with the reason.
 * @param untilMs by the clock of `performance`: then the error is thrown.
 */
export async function whileAway<T>(
  read: () => Promise<T>,
  waits: (why: string) => void,
  untilMs: number,
): Promise<T> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await read();
    } catch (error) {
      const isAway =
        error instanceof NoAnswerError || (error instanceof ServerError && error.problem.status === 503);
      if (!isAway || performance.now() >= untilMs) throw error;
      if (isFirst) waits(error.message);
      await pause(againMs);
    }
  }
}
