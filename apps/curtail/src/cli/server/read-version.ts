import type { ConfigurationVersionDetail } from '#api-client';
import { type ConfigurationResult, readConfiguration } from '#configuration';
import type { ConfigurationFormat } from '#contracts';
import { placeOf } from '../output/inventory-lines.js';
import { CommandError } from '../terminal/errors.js';
import { assertPartitionOnServer } from './assert-place.js';
import type { Client } from './client.js';
import { ServerError } from './server-error.js';

/** An earlier version of a configuration, with its text. @throws CommandError if there is none, or no such partition. */
export async function readVersion(
  client: Client,
  partition: string,
  version: string,
): Promise<ConfigurationVersionDetail> {
  try {
    return await client.get('/v1/partitions/{partition}/configurations/{version}', {
      params: { path: { partition, version } },
    });
  } catch (error) {
    if (!(error instanceof ServerError) || error.problem.status !== 404) throw error;
    await assertPartitionOnServer(client, partition);
    throw new CommandError(`there is no configuration version ${version} in partition ${partition}`, {
      next: `list them: curtail get configurations${placeOf({ partition })}`,
    });
  }
}

/** Its partition alone, as it was in force: a text may have further partitions, and a switch of its own. */
export function contentOfVersion(version: ConfigurationVersionDetail): ConfigurationResult {
  const { partition, format, body, quotaPreemptionEnabled } = version;
  const read = readConfiguration(body, {
    partition,
    format: format as ConfigurationFormat,
    allowUnknown: true,
    guaranteedEqualsMax: 'allow',
  });
  const isOwn = (name: string) => name.toLowerCase() === partition;
  return {
    ...read,
    partitions: read.partitions
      .filter(({ name }) => isOwn(name))
      .map((own) => ({ ...own, quotaPreemptionEnabled })),
    queues: read.queues.filter((queue) => isOwn(queue.partition)),
  };
}
