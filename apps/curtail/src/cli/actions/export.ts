import type { ConfigurationInForce } from '#api-client';
import { rewriteHadoopXml } from '#configuration';
import type { Invocation } from '../invocation/invocation.js';
import { print, write } from '../output/print.js';
import { type Client, clientOf } from '../server/client.js';
import { readVersion } from '../server/read-version.js';
import { CommandError } from '../terminal/errors.js';

export async function run(
  invocation: Invocation,
  version: string | undefined,
  { partition, queue }: { partition: string; queue?: string },
): Promise<undefined> {
  const client = clientOf(invocation);
  if (queue !== undefined && version !== undefined) {
    throw new CommandError('--queue is for the configuration in force; leave out the version');
  }
  const exported = await read(client, { partition, queue, version });
  if (invocation.formatGiven && invocation.format !== 'table' && invocation.format !== 'wide') {
    await print(invocation, {
      value: exported,
      table: () => [],
      names: () => [queue === undefined ? `partition/${exported.partition}` : `queue/${queue}`],
    });
    return;
  }
  const text = textOf(exported);
  await write(invocation, text.endsWith('\n') ? text : `${text}\n`);
}

function read(
  client: Client,
  {
    partition,
    queue,
    version,
  }: { partition: string; queue: string | undefined; version: string | undefined },
) {
  if (version !== undefined) return readVersion(client, partition, version);
  return queue === undefined
    ? client.get('/v1/partitions/{partition}/config', { params: { path: { partition } } })
    : client.get('/v1/partitions/{partition}/queues/{queue}/config', {
        params: { path: { partition, queue } },
      });
}

/** The text as sent; of XML only its properties, since nothing else was read. */
function textOf({ format, body }: Pick<ConfigurationInForce, 'body'> & { format?: string }): string {
  return (format === 'capacity-scheduler' && rewriteHadoopXml(body)) || body;
}
