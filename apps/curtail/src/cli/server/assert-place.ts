import { within } from '#waiting';
import type { Invocation } from '../invocation/invocation.js';
import { CommandError } from '../terminal/errors.js';
import { assertPartition } from './assert-partition.js';
import { clientOf } from './client.js';
import { NoAnswerError, ServerError } from './server-error.js';

/** A server that is busy answers commands first; nothing waits longer for this check. */
const checkMs = 2000;

/**
 * For an answer without anything of a place: whether there is nothing, or no such place. A misspelt name would otherwise look like success.
 *
 * @throws CommandError for a partition or a queue that does not exist, with the name that may be meant.
 */
export async function assertPlace(
  invocation: Invocation,
  partition: string,
  queue: string | undefined,
): Promise<void> {
  const client = clientOf(invocation);
  try {
    await within({ ms: checkMs, signals: [] }, async (signal) => {
      if (queue === undefined) return assertPartition(client, partition);
      await client.get('/v1/queues/{path}', {
        params: { path: { path: queue }, query: { partition } },
        signal,
      });
    });
  } catch (error) {
    const isUnknown = error instanceof ServerError && /^unknown-(queue|partition)$/.test(error.code);
    if (isUnknown || isAboutPartition(error)) throw error;
  }
}

/** Found here, from the list of partitions. */
const isAboutPartition = (error: unknown) =>
  error instanceof CommandError && !(error instanceof ServerError) && !(error instanceof NoAnswerError);
