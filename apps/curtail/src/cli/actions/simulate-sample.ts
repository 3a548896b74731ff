import { counted } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { print } from '../output/print.js';
import { clientOf } from '../server/client.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';

export async function run(invocation: Invocation, { partition }: { partition: string }): Promise<ExitStatus> {
  const sample = await clientOf(invocation).post('/v1/partitions/{partition}/simulated/sample', {
    params: { path: { partition } },
  });
  const { applications, allocations, nodes } = sample;
  await print(invocation, {
    value: sample,
    table: () => [
      `loaded the sample: ${counted(applications, 'application')}, ${counted(allocations, 'allocation')}, ${counted(nodes, 'node')}`,
    ],
    names: () => [`partition/${partition}`],
  });
  invocation.report('next: put its quotas in force: curtail apply -f examples/queues.yaml');
  return exitStatus.done;
}
