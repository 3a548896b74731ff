import { access, writeFile } from 'node:fs/promises';
import type { BodyOf } from '#api-client';
import { counted } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { placeOf } from '../output/inventory-lines.js';
import { print } from '../output/print.js';
import { showProgress } from '../output/progress.js';
import { clientOf } from '../server/client.js';
import { configurationWithLoad } from '../server/configuration-with-load.js';
import { CommandError } from '../terminal/errors.js';
import { printable } from '../terminal/printable.js';

type LoadOptions = BodyOf<'/v1/partitions/{partition}/simulated/load'> & {
  partition: string;
  configOut?: string;
};

export async function run(invocation: Invocation, options: LoadOptions): Promise<undefined> {
  const { partition, configOut, ...spec } = options;
  const client = clientOf(invocation);
  if (configOut !== undefined && !spec.replace) await refuseExisting(configOut);
  const loaded = await showProgress(invocation, 'allocations', (report) =>
    client.result(
      '/v1/partitions/{partition}/simulated/load',
      { params: { path: { partition } }, body: spec },
      report,
    ),
  );
  if (configOut !== undefined) {
    const text = await configurationWithLoad(client, partition, loaded.under);
    await writeFile(configOut, text).catch((error: Error) => {
      throw new CommandError(
        `the work is loaded, but ${printable(configOut)} cannot be written: ${error.message}`,
      );
    });
  }
  const { under, queues, applications, allocations, nodes } = loaded;
  await print(invocation, {
    value: configOut === undefined ? loaded : { ...loaded, configuration: configOut },
    table: () => [
      `loaded under ${under}: ${counted(queues, 'queue')}, ${counted(applications, 'application')}, ${counted(allocations, 'allocation')}, ${counted(nodes, 'node')}`,
      ...(configOut === undefined ? [] : [`their quotas, somewhat above their usage, are in ${configOut}`]),
    ],
    names: () => [`queue/${under}`],
  });
  invocation.report(
    configOut === undefined
      ? `next: list them: curtail get allocations --queue ${under}${placeOf({ partition })} --limit 10; --config-out FILE writes quotas for it`
      : `next: put the quotas in force: curtail apply -f ${configOut}; then lower one in the file, and apply it again`,
  );
}

/** Checked before the work is loaded: loading takes long, and a file that someone has written must not be lost. */
async function refuseExisting(file: string): Promise<void> {
  const exists = await access(file).then(
    () => true,
    () => false,
  );
  if (exists)
    throw new CommandError(`${printable(file)} exists already: name another file, or add --replace`);
}
