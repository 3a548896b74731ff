import { eachRow, type Tx } from '@curtail/event-store';
import { TooManyAllocations } from '../too-many-allocations.js';

interface Scope {
  partition: string;
  queue: string;
  /** Allocations that may be read; absent: any number. */
  most?: number;
}

/** More rows than these are read one by one, as they come: a row takes some times the memory of the allocation that it becomes. */
const rowsAtOnce = 20_000;
const anyNumber = Number.MAX_SAFE_INTEGER - 1;

/**
 * Tells how to read the allocations of a scope: all at once, or with `eachAllocation`.
 *
 * @param counted a query with one row for each of them, which ends in `LIMIT $n`; the limit is added to its parameters.
 * @throws TooManyAllocations where so many may not even be read at once.
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
 * Uses the rows of allocations as they come, as of one moment.
 *
 * @param query ends in `LIMIT $n`; the limit is added to its parameters.
 * @throws TooManyAllocations after as many as may be read.
 */
export async function eachAllocation<Row extends object>(
  tx: Tx,
  { partition, queue, most = anyNumber }: Scope,
  query: string,
  parameters: readonly unknown[],
  use: (row: Row) => void,
): Promise<void> {
  // The plan that fits all partitions is one for few rows: it would fetch these in the order of their queues, and sort them.
  await tx.query('SET LOCAL plan_cache_mode = force_custom_plan');
  let read = 0;
  await eachRow<Row>(tx, query, [...parameters, most + 1], (row) => {
    if (++read > most) throw new TooManyAllocations(partition, queue, most);
    use(row);
  });
}
