import { counted } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { placeOf } from '../output/inventory-lines.js';
import { printLine } from '../output/print.js';
import { clientOf } from '../server/client.js';

export async function run(
  invocation: Invocation,
  { partition, under }: { partition: string; under?: string },
): Promise<undefined> {
  const cleared = await clientOf(invocation).delete('/v1/partitions/{partition}/simulated', {
    params: { path: { partition }, query: { under } },
  });
  const { allocations, applications } = cleared;
  await printLine(
    invocation,
    cleared,
    `${counted(allocations, 'allocation')} of ${counted(applications, 'application')} were removed`,
    `partition/${partition}`,
  );
  invocation.report(
    `next: fill it again: curtail simulate load --queues 20 --allocations 2000${placeOf({ partition })}`,
  );
}
