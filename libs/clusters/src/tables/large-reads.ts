import { eachRow, type Tx } from '@curtail/event-store';
import { TooManyAllocations } from '../too-many-allocations.js';

interface Scope {
  partition: string;
  queue: string;
  /** The maximum number of allocations to read; absent: any number. */
  most?: number;
}

/** More rows than this are streamed: a row takes several times the memory of the allocation that is made from it. */
const rowsAtOnce = 20_000;
const anyNumber = Number.MAX_SAFE_INTEGER - 1;

/**
 * Decides how to read the allocations of a scope: all at once, or with `eachAllocation` (true).
 *
 * @param counted a query with one row for each allocation, which ends in `LIMIT $n`; the limit is added to its parameters.
 * @throws TooManyAllocations if the scope is known to have more than `most`.
 */
export async function isLarge(
  tx: Pick<Tx, 'query'>,
  { partition, queue, most = anyNumber }: Scope,
  counted: string,
  parameters: readonly unknown[],
): Promise<boolean> {
  const [row] = await tx.query<{ count: string }[]>(`SELECT count(*) AS count FROM (${counted}) AS rows`, [
    ...parameters,
    Math.min(most, rowsAtOnce) + 1,
  ]);
  const count = Number(row?.count);
  if (count > most) throw new TooManyAllocations(partition, queue, most);
  return count > rowsAtOnce;
}

/**
 * Streams the rows of allocations, as of one moment.
 *
 * @param query ends in `LIMIT $n`; the limit is added to its parameters.
 * @throws TooManyAllocations after `most` rows.
 */
export async function eachAllocation<Row extends object>(
  tx: Tx,
  { partition, queue, most = anyNumber }: Scope,
  query: string,
  parameters: readonly unknown[],
  use: (row: Row) => void,
): Promise<void> {
  // The generic plan expects few rows: it would fetch these in the order of their queues, and sort them.
  await tx.query('SET LOCAL plan_cache_mode = force_custom_plan');
  let read = 0;
  await eachRow<Row>(tx, query, [...parameters, most + 1], (row) => {
    if (++read > most) throw new TooManyAllocations(partition, queue, most);
    use(row);
  });
}
