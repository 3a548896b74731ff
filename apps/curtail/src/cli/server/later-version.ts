import type { Applied } from '#api-client';
import { CommandError } from '../terminal/errors.js';
import type { Client } from './client.js';

/**
 * The version in force, if another configuration has already replaced the one that was just applied. Undefined also where the server does
 * not tell: the configuration was applied all the same.
 */
export async function laterVersion(
  client: Client,
  { partition, version }: Pick<Applied, 'partition' | 'version'>,
): Promise<number | undefined> {
  try {
    const { items } = await client.get('/v1/partitions/{partition}/configurations', {
      params: { path: { partition }, query: { limit: 1 } },
    });
    const latest = items[0]?.version ?? version;
    return latest > version ? latest : undefined;
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}
