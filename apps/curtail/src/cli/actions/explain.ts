import { allocationLines } from '../explanations/explain-allocation.js';
import { ownerLines } from '../explanations/explain-owner.js';
import { queueLines } from '../explanations/explain-queue.js';
import { runLines } from '../explanations/explain-run.js';
import { nameArgument } from '../input/arguments.js';
import type { Invocation } from '../invocation/invocation.js';
import { placeOf } from '../output/inventory-lines.js';
import { print } from '../output/print.js';
import type { Explainable } from '../resources/nouns.js';
import { firstShown, moreLines } from '../resources/resource-kind.js';
import { assertPartitionOnServer } from '../server/assert-place.js';
import { clientOf } from '../server/client.js';
import { fullName } from '../server/full-name.js';
import { CommandError } from '../terminal/errors.js';

/** The latest of them; more are read with `curtail get victims`. */
const ownerLimit = 1000;

export async function run(
  invocation: Invocation,
  { kind: what, name: behindSlash }: Explainable,
  given: string | undefined,
  { partition, all = false }: { partition: string; all?: boolean },
): Promise<undefined> {
  const asked = behindSlash ?? (given && nameArgument(what)(given));
  if (!asked || (behindSlash !== undefined && given !== undefined)) {
    throw new CommandError(`name one ${what}: curtail explain ${what} NAME`);
  }
  const client = clientOf(invocation);
  const name =
    what === 'enforcement' || what === 'allocation' ? await fullName(client, what, asked, partition) : asked;
  const now = Date.now();
  const shown = (value: unknown, table: () => string[]) =>
    print(invocation, { value, table, names: () => [`${what}/${name}`] });
  if (what === 'enforcement') {
    const limit = invocation.isForPeople && !all ? firstShown : undefined;
    const why = await client.get('/v1/enforcements/{enforcement}/explanation', {
      params: { path: { enforcement: name }, query: { limit } },
    });
    await shown(why, () => runLines(why, invocation, now));
  } else if (what === 'allocation') {
    const why = await client.get('/v1/allocations/{id}/explanation', {
      params: { path: { id: name }, query: { partition } },
    });
    await shown(why, () => allocationLines(why, invocation, now));
  } else if (what === 'application' || what === 'user') {
    const whose = { [what]: name };
    const query = { partition, ...whose, limit: ownerLimit };
    const [{ items: victims }, { items: foreseen }] = await Promise.all([
      client.get('/v1/victims', { params: { query } }),
      client.get('/v1/foreseen', { params: { query } }),
    ]);
    if (victims.length + foreseen.length === 0) await assertPartitionOnServer(client, partition);
    const many = invocation.isForPeople && !all ? firstShown : victims.length;
    const why = { partition, ...whose, foreseen, victims };
    await shown(why, () => [
      ...ownerLines({ ...why, victims: victims.slice(0, many) }, invocation, now),
      ...moreLines(victims.length, many),
    ]);
    const one = victims[0]?.allocation ?? foreseen[0]?.allocations[0];
    if (one)
      invocation.report(
        `next: see the rules and the numbers of one: curtail explain allocation ${one}${placeOf({ partition })}`,
      );
  } else {
    const why = await client.get('/v1/queues/{path}/explanation', {
      params: { path: { path: name.toLowerCase() }, query: { partition } },
    });
    await shown(why, () => queueLines(why, invocation, now));
  }
}
