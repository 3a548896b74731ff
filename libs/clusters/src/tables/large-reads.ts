import type { SnapshotAllocation } from '#contracts';
import { planForValues, type Tx } from '#event-store';
import type { AheadOfPlan } from '../driver.js';
import { TooManyAllocations } from '../unknown-place.js';
import { type Kept, type KeptAllocations, merged, mostKept, veryLarge } from './kept-allocations.js';
import {
  type AllocationPage,
  addAllocations,
  allocationsById,
  changesSince,
  type Listing,
  pageOfAllocations,
} from './pages.js';
import { SharedParts } from './rows.js';

interface Scope {
  partition: string;
  queue: string;
  /** The maximum number of allocations to read; absent: any number. */
  most?: number;
}

/** More allocations than this are read page by page: a row of each takes several times the memory and the time. */
export const rowsAtOnce = 20_000;
/** Allocations in a page. */
const pageSize = 10_000;
const anyNumber = Number.MAX_SAFE_INTEGER - 1;

/**
 * Decides how to read the allocations of a scope: all at once, or with `readLarge` (true).
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
  const count = await countUpTo(Math.min(most, rowsAtOnce) + 1, tx, counted, parameters);
  if (count > most) throw new TooManyAllocations(partition, queue, most);
  return count > rowsAtOnce;
}

/** Whether it takes long to read the allocations of a scope, and they are kept then. Query and parameters as above. */
export async function isWorthReadingAhead(
  tx: Pick<Tx, 'query'>,
  { partition, queue, ahead }: { partition: string; queue: string; ahead: AheadOfPlan },
  known: KeptAllocations,
  counted: string,
  parameters: readonly unknown[],
): Promise<boolean> {
  if (ahead === 'again') return known.hasVeryLarge() && known.has(partition, queue);
  if (ahead === 'long' && known.hasVeryLarge()) return false;
  const [least, most] = ahead === 'long' ? [veryLarge, mostKept] : [rowsAtOnce, veryLarge];
  const count = await countUpTo(most + 1, tx, counted, parameters);
  return count > least && count <= most;
}

async function countUpTo(
  most: number,
  tx: Pick<Tx, 'query'>,
  counted: string,
  parameters: readonly unknown[],
): Promise<number> {
  const [row] = await tx.query<{ count: string }[]>(`SELECT count(*) AS count FROM (${counted}) AS rows`, [
    ...parameters,
    most,
  ]);
  return Number(row?.count);
}

/** The queries of a table of allocations; the first parameters of each are those that `readLarge` is given. */
export interface LargeQueries {
  /** An `allocationPage`: the id behind which it begins, and its size. */
  page: string;
  /** A `changesSince`: a transaction. */
  changes: string;
  /** An `allocationsById`. */
  byId: string;
}

/** @param from table and condition: `FROM … WHERE …`, with `given` parameters. */
export function largeQueries(from: string, given: number): LargeQueries {
  const [one, two] = [`$${given + 1}`, `$${given + 2}`] as const;
  return {
    page: pageOfAllocations(from, one, two),
    changes: changesSince(from, one),
    byId: allocationsById(from, one),
  };
}

/** If more allocations than this, and more than a twentieth of those kept, have changed, reading everything is faster. */
const mostChanges = 10_000;

/**
 * Reads many allocations in the order of their ids: what has changed since they were kept, or all of them. Later snapshots share them: they
 * must not be modified.
 *
 * A row is older than the kept read if its transaction is older than the oldest that was under way then. It was read then, since no
 * statement changes a row without giving it a transaction of its own. Rows that are gone are missing among the ids.
 *
 * This holds for one database while its server runs. After a crash the server gives out again the ids of transactions that it had not
 * flushed, and it keeps its start time when it recovers by itself; but it loses its statistics, whose age shows that. A copy of the
 * database has old rows with old transactions.
 *
 * @param tx sees one moment of the database (REPEATABLE READ).
 * @param from.known the allocations of the kept read.
 * @param from.began before the transaction, as `KeptAllocations.inTurn` gives it.
 * @param from.isAhead as of `KeptAllocations.keep`.
 * @param from.meanwhile sends further statements, once: the server executes them while this process reads the first answer.
 * @throws TooManyAllocations after `most` allocations.
 */
export async function readLarge(
  tx: Tx,
  scope: Scope,
  queries: LargeQueries,
  parameters: readonly unknown[],
  {
    known,
    began,
    isAhead,
    meanwhile,
  }: { known: KeptAllocations; began: number; isAhead: boolean; meanwhile: () => void },
): Promise<SnapshotAllocation[]> {
  const { partition, queue } = scope;
  // The generic plan expects few rows: it would fetch these in the order of their queues, and sort them.
  await planForValues(tx);
  const [moment] = await tx.query<[Pick<Kept, 'before' | 'server'>]>(
    `SELECT (pg_snapshot_xmin(pg_current_snapshot())::text::numeric % 4294967296)::text AS before,
            pg_postmaster_start_time() || ' ' || stats_reset || ' ' || oid AS server
     FROM pg_stat_bgwriter, pg_database WHERE datname = current_database()`,
  );
  const readBy = performance.now();
  const kept = known.find(partition, queue, began);
  const ofServer = kept && kept.server !== null && kept.server === moment.server ? kept : undefined;
  let shared = ofServer?.shared ?? new SharedParts();
  let allocations = ofServer && (await readChanges(tx, scope, queries, parameters, ofServer, meanwhile));
  if (!allocations) {
    shared = new SharedParts();
    allocations = await readPages(tx, scope, queries, parameters, shared, ofServer ? () => {} : meanwhile);
  }
  // Names of work that has ended stay among the shared parts: once they are most of them, the next read begins with none.
  if (shared.count > 2 * allocations.length + pageSize) shared = new SharedParts();
  known.keep(partition, queue, { ...moment, readBy, allocations, shared }, isAhead);
  return allocations.slice();
}

/** Undefined where too much has changed. */
async function readChanges(
  tx: Tx,
  { partition, queue, most = anyNumber }: Scope,
  { changes, byId }: LargeQueries,
  parameters: readonly unknown[],
  { allocations, shared, before }: Kept,
  meanwhile: () => void,
): Promise<SnapshotAllocation[] | undefined> {
  const listing = tx.query<[Listing]>(changes, [...parameters, before]);
  meanwhile();
  const [{ ids, changed }] = await listing;
  if ((ids?.length ?? 0) > most) throw new TooManyAllocations(partition, queue, most);
  if (changed && changed.length > Math.max(mostChanges, allocations.length / 20)) return undefined;
  const read: SnapshotAllocation[] = [];
  if (changed) {
    const [page] = await tx.query<[AllocationPage]>(byId, [...parameters, changed]);
    addAllocations(page, shared, read);
  }
  return merged(ids ?? [], allocations, read);
}

/** The server aggregates a page while this process parses the previous one. */
async function readPages(
  tx: Tx,
  { partition, queue, most = anyNumber }: Scope,
  { page: query }: LargeQueries,
  parameters: readonly unknown[],
  shared: SharedParts,
  meanwhile: () => void,
): Promise<SnapshotAllocation[]> {
  const pageBehind = (id: string) => tx.query<[AllocationPage]>(query, [...parameters, id, pageSize]);
  const allocations: SnapshotAllocation[] = [];
  let read = 0;
  const first = pageBehind('');
  meanwhile();
  for (let coming: Promise<[AllocationPage]> | undefined = first; coming; ) {
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
