import type { SnapshotAllocation } from '@curtail/contracts';
import type { Tx } from '@curtail/event-store';
import { TooManyAllocations } from '../too-many-allocations.js';
import { type AllocationPage, addAllocations } from './pages.js';
import { SharedParts } from './rows.js';

interface Scope {
  partition: string;
  queue: string;
  /** The maximum number of allocations to read; absent: any number. */
  most?: number;
}

/** More allocations than this are read page by page: a row of each takes several times the memory and the time. */
const rowsAtOnce = 20_000;
/** Allocations in a page. */
const pageSize = 10_000;
const anyNumber = Number.MAX_SAFE_INTEGER - 1;

/**
 * Decides how to read the allocations of a scope: all at once, or with `readPages` (true).
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
 * Reads many allocations in the order of their ids. The server aggregates a page while this process parses the previous one.
 *
 * @param tx sees one moment of the database (REPEATABLE READ).
 * @param query an `allocationPage`; the id and the limit of a page are added to its parameters.
 * @throws TooManyAllocations after `most` allocations.
 */
export async function readPages(
  tx: Tx,
  { partition, queue, most = anyNumber }: Scope,
  query: string,
  parameters: readonly unknown[],
): Promise<SnapshotAllocation[]> {
  // The generic plan expects few rows: it would fetch these in the order of their queues, and sort them.
  await tx.query('SET LOCAL plan_cache_mode = force_custom_plan');
  const pageBehind = (id: string) => tx.query<[AllocationPage]>(query, [...parameters, id, pageSize]);
  const allocations: SnapshotAllocation[] = [];
  const shared = new SharedParts();
  let read = 0;
  for (let coming: Promise<[AllocationPage]> | undefined = pageBehind(''); coming; ) {
    const [page]: [AllocationPage] = await coming;
    const ids: string[] = page.id ?? [];
    read += ids.length;
    if (read > most) throw new TooManyAllocations(partition, queue, most);
    coming = ids.length < pageSize ? undefined : pageBehind(ids.at(-1)!);
    // It is awaited when this one is done with.
    coming?.catch(() => {});
    addAllocations(page, shared, allocations);
  }
  return allocations;
}
