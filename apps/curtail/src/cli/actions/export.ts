import type { ConfigurationInForce } from '@curtail/api-client';
import { rewriteHadoopXml } from '@curtail/configuration';
import type { Invocation } from '../invocation.js';
import { print, write } from '../output/print.js';
import { clientOf } from '../server/client.js';
import { readVersion } from '../server/read-version.js';
import { type ExitStatus, exitStatus } from '../terminal.js';

export async function run(
  invocation: Invocation,
  version: string | undefined,
  { partition }: { partition: string },
): Promise<ExitStatus> {
  const client = clientOf(invocation);
  const exported =
    version === undefined
      ? await client.get('/v1/partitions/{partition}/config', { params: { path: { partition } } })
      : await readVersion(client, partition, version);
  if (invocation.formatGiven && invocation.format !== 'table' && invocation.format !== 'wide') {
    await print(invocation, {
      value: exported,
      table: () => [],
      names: () => [`partition/${exported.partition}`],
    });
    return exitStatus.done;
  }
  const text = textOf(exported);
  await write(invocation, text.endsWith('\n') ? text : `${text}\n`);
  return exitStatus.done;
}

/** The text as sent; of XML only its properties, since nothing else was read. */
function textOf({ format, body }: Pick<ConfigurationInForce, 'body'> & { format: string }): string {
  return (format === 'capacity-scheduler' && rewriteHadoopXml(body)) || body;
}
