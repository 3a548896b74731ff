import { didYouMean, nearestOf } from '#contracts/ground';
import { within } from '#waiting';
import type { Invocation } from '../invocation/invocation.js';
import { CommandError } from '../terminal/errors.js';
import { type Client, clientOf } from './client.js';
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
      if (queue === undefined) return assertPartitionOnServer(client, partition);
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

const named = 5;

/**
 * For an empty list: whether there is nothing in the partition, or no such partition.
 *
 * @throws CommandError if nothing is known of a partition of that name: no configuration, mode or stop, and nothing runs in it.
 */
export async function assertPartitionOnServer(client: Client, partition: string): Promise<void> {
  // It is there before the first configuration.
  if (partition === 'default') return;
  const known = await partitionsOf(client);
  if (known.includes(partition)) return;
  const { items } = await client.get('/v1/allocations', { params: { query: { partition, limit: 1 } } });
  if (items.length > 0) return;
  const which =
    known.length === 0
      ? ''
      : `; there ${known.length === 1 ? 'is' : 'are'} ${known.slice(0, named).join(', ')}`;
  const more = known.length > named ? ', …' : '';
  throw new CommandError(`there is no partition ${partition}${which}${more}${didYouMean(partition, known)}`, {
    next: 'list them: curtail get partitions',
  });
}

/** For a partition without a configuration: the one that may be meant. */
export async function meantPartition(client: Client, partition: string): Promise<string | undefined> {
  const known = await partitionsOf(client);
  return nearestOf(
    partition,
    known.filter((name) => name !== partition),
  );
}

async function partitionsOf(client: Client): Promise<string[]> {
  const { items } = await client.get('/v1/partitions', { params: { query: { limit: 1000 } } });
  return items.map(({ partition }) => partition);
}

/** Warns of a misspelt name, which would stop nothing. @param meant the name that may be meant. */
export function warnOfUnknown(
  invocation: Invocation,
  { configured }: { configured?: boolean },
  partition: string,
  queue: string | undefined,
  meant?: string,
): void {
  if (configured !== false) return;
  const what = queue === undefined ? `partition ${partition}` : `queue ${queue} of partition ${partition}`;
  invocation.report(
    `warning: no configuration in force has the ${what}${meant === undefined ? ': is the name right?' : `; did you mean ${meant}?`}`,
  );
}
