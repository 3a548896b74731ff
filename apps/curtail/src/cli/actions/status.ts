import type { Invocation } from '../invocation.js';
import { print } from '../output/print.js';
import { statusLines } from '../output/status-lines.js';
import { clientOf } from '../server/client.js';
import { type ExitStatus, exitStatus } from '../terminal.js';

export async function run(
  invocation: Invocation,
  { partition }: { partition?: string },
): Promise<ExitStatus> {
  const status = await clientOf(invocation).get('/v1/status', { params: { query: { partition } } });
  await print(invocation, {
    value: status,
    table: () => statusLines(status, invocation, Date.now()),
    names: () => status.attention.map(({ about }) => `${about.kind}/${about.name}`),
  });
  return status.attention.length === 0 ? exitStatus.done : exitStatus.needsAttention;
}
