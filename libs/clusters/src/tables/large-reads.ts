import type { Tx } from '@curtail/event-store';
import { TooManyAllocations } from '../too-many-allocations.js';

/** Rows of a page, of which two are in memory at once, as they come from the database, each some times as large as what becomes of it. */
export const pageRows = 20_000;

/**
 * Counts what is to be read, up to one more than may be.
 *
 * @param counted a query of one row for each of them, that ends in `LIMIT $n`; `most + 1` is added to its parameters.
 * @returns whether they are more than a page.
 * @throws TooManyAllocations before any of them is read.
 */
export async function isLarge(
  tx: Pick<Tx, 'query'>,
  {
    partition,
    queue,
    most = Number.MAX_SAFE_INTEGER - 1,
  }: { partition: string; queue: string; most?: number },
  counted: string,
  parameters: readonly unknown[],
): Promise<boolean> {
  const [row] = await tx.query<{ count: string }[]>(`SELECT count(*) AS count FROM (${counted}) AS rows`, [
    ...parameters,
    most + 1,
  ]);
  const count = Number(row?.count);
  if (count > most) throw new TooManyAllocations(partition, queue, most);
  return count > pageRows;
}

/** The rows of a query page by page, all as of one moment. In a transaction, one at a time. */
export async function* inPages<Row>(
  tx: Tx,
  query: string,
  parameters: readonly unknown[],
): AsyncGenerator<Row[]> {
  // All of it is read: the plan that is quick for the first rows is not the one that is wanted.
  await tx.query('SET LOCAL cursor_tuple_fraction = 1');
  await tx.query(`DECLARE pages NO SCROLL CURSOR FOR ${query}`, [...parameters]);
  const fetch = () => {
    const rows = tx.query<Row[]>(`FETCH ${pageRows} FROM pages`);
    // Of a page that no one waits for any more the failure is that of the transaction.
    rows.catch(() => {});
    return rows;
  };
  // The database reads the next page while this one is used.
  for (let next = fetch(); ; ) {
    const rows = await next;
    const isLast = rows.length < pageRows;
    if (!isLast) next = fetch();
    if (rows.length > 0) yield rows;
    if (isLast) break;
  }
  await tx.query('CLOSE pages');
}
