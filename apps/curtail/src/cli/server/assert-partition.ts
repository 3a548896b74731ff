import { didYouMean, nearestOf } from '#contracts';
import { CommandError } from '../terminal/errors.js';
import type { Client } from './client.js';

const named = 5;

/**
 * For an empty list: whether there is nothing in the partition, or no such partition.
 *
 * @throws CommandError if nothing is known of a partition of that name: no configuration, mode or stop, and nothing runs in it.
 */
export async function assertPartition(client: Client, partition: string): Promise<void> {
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
