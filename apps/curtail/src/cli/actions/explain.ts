import { allocationLines } from '../explanations/explain-allocation.js';
import { enforcementLines } from '../explanations/explain-enforcement.js';
import { queueLines } from '../explanations/explain-queue.js';
import { nameOf } from '../input/arguments.js';
import type { Invocation } from '../invocation/invocation.js';
import { print } from '../output/print.js';
import type { Explainable } from '../resources/explainable.js';
import { firstShown } from '../resources/resource-kind.js';
import { clientOf } from '../server/client.js';
import { fullName } from '../server/full-name.js';
import { CommandError } from '../terminal/errors.js';
import { type ExitStatus, exitStatus } from '../terminal/terminal.js';

export async function run(
  invocation: Invocation,
  { kind: what, name: behindSlash }: Explainable,
  given: string | undefined,
  { partition, all = false }: { partition: string; all?: boolean },
): Promise<ExitStatus> {
  const asked = behindSlash ?? (given && nameOf(what)(given));
  if (!asked || (behindSlash !== undefined && given !== undefined)) {
    throw new CommandError(`name one ${what}: curtail explain ${what} NAME`);
  }
  const client = clientOf(invocation);
  const name = what === 'queue' ? asked : await fullName(client, what, asked, partition);
  const now = Date.now();
  const shown = (value: unknown, table: () => string[]) =>
    print(invocation, { value, table, names: () => [`${what}/${name}`] });
  if (what === 'enforcement') {
    const limit = invocation.isForPeople && !all ? firstShown : undefined;
    const why = await client.get('/v1/enforcements/{enforcement}/explanation', {
      params: { path: { enforcement: name }, query: { limit } },
    });
    await shown(why, () => enforcementLines(why, invocation, now));
  } else if (what === 'allocation') {
    const why = await client.get('/v1/allocations/{id}/explanation', {
      params: { path: { id: name }, query: { partition } },
    });
    await shown(why, () => allocationLines(why, invocation, now));
  } else {
    const why = await client.get('/v1/queues/{path}/explanation', {
      params: { path: { path: name.toLowerCase() }, query: { partition } },
    });
    await shown(why, () => queueLines(why, invocation, now));
  }
  return exitStatus.done;
}
