import type { Applied, ConfigurationVersion } from '#api-client';
import { CommandError } from '../terminal/errors.js';
import type { Client } from './client.js';

/** The version in force; undefined where none was applied. */
export async function latestVersion(
  client: Client,
  partition: string,
): Promise<ConfigurationVersion | undefined> {
  const { items } = await client.get('/v1/partitions/{partition}/configurations', {
    params: { path: { partition }, query: { limit: 1 } },
  });
  return items[0];
}

/**
 * The version in force, if another configuration has already replaced the one that was just applied. Undefined also where the server does
 * not tell: the configuration was applied all the same.
 */
export async function laterVersion(
  client: Client,
  { partition, version }: Pick<Applied, 'partition' | 'version'>,
): Promise<number | undefined> {
  try {
    const latest = (await latestVersion(client, partition))?.version ?? version;
    return latest > version ? latest : undefined;
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}
