import { counted } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { printLine } from '../output/print.js';
import { clientOf } from '../server/client.js';

export async function run(invocation: Invocation, { partition }: { partition: string }): Promise<undefined> {
  const sample = await clientOf(invocation).post('/v1/partitions/{partition}/simulated/sample', {
    params: { path: { partition } },
  });
  const { applications, allocations, nodes } = sample;
  await printLine(
    invocation,
    sample,
    `loaded the sample: ${counted(applications, 'application')}, ${counted(allocations, 'allocation')}, ${counted(nodes, 'node')}`,
    `partition/${partition}`,
  );
  invocation.report('next: put its quotas in force: curtail apply -f examples/queues.yaml');
}
