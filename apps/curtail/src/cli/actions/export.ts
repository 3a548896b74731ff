import { rewriteHadoopXml } from '@curtail/configuration';
import type { Invocation } from '../invocation.js';
import { print, write } from '../output/print.js';
import { pathOf } from '../server/address.js';
import { clientOf } from '../server/client.js';
import { readVersion } from '../server/read-version.js';
import { type ExitStatus, exitStatus } from '../terminal.js';

interface Exported {
  partition: string;
  format: string;
  body: string;
}

export async function run(
  invocation: Invocation,
  version: string | undefined,
  { partition }: { partition: string },
): Promise<ExitStatus> {
  const client = clientOf(invocation);
  const exported: Exported =
    version === undefined
      ? await client.get<Exported>(pathOf(['partitions', partition, 'config']))
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
function textOf({ format, body }: Exported): string {
  return (format === 'capacity-scheduler' && rewriteHadoopXml(body)) || body;
}
