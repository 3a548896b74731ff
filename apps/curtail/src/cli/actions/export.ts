import { type PartitionPolicies, rewriteHadoopXml } from '@curtail/configuration';
import { type ConfigurationFormat } from '@curtail/contracts';
import type { Invocation } from '../invocation.js';
import { print, write } from '../output/print.js';
import { pathOf } from '../server/address.js';
import { clientOf } from '../server/client.js';
import { type ExitStatus, exitStatus } from '../terminal.js';

interface InForce {
  partition: string;
  format: ConfigurationFormat;
  body: string;
  policies: PartitionPolicies;
}

export async function run(invocation: Invocation, { partition }: { partition: string }): Promise<ExitStatus> {
  const inForce = await clientOf(invocation).get<InForce>(pathOf(['partitions', partition, 'config']));
  if (invocation.formatGiven && invocation.format !== 'table' && invocation.format !== 'wide') {
    await print(invocation, {
      value: inForce,
      table: () => [],
      names: () => [`partition/${inForce.partition}`],
    });
    return exitStatus.done;
  }
  const text = textOf(inForce);
  await write(invocation, text.endsWith('\n') ? text : `${text}\n`);
  return exitStatus.done;
}

/** The text as sent; of XML only its properties, since nothing else was read. */
function textOf({ format, body }: InForce): string {
  return (format === 'capacity-scheduler' && rewriteHadoopXml(body)) || body;
}
