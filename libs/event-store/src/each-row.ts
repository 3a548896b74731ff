import pg from 'pg';
import { QueryFailedError } from 'typeorm';
import type { Tx } from './database.js';

/**
 * Processes the rows of a statement as they arrive, while the server produces the next ones: for answers too large to
 * be kept twice. A cursor would do the same with fewer cores of the server, since its reads are not parallel.
 *
 * @param tx a transaction.
 * @param use called for each row, in their order. If it throws, the remaining rows are skipped.
 * @throws QueryFailedError if the statement fails, perhaps after some rows; or the error that `use` threw.
 */
export async function eachRow<Row extends object>(
  tx: Tx,
  text: string,
  values: readonly unknown[],
  use: (row: Row) => void,
): Promise<void> {
  if (!tx.queryRunner) throw new TypeError('rows can be read one by one only in a transaction');
  const client: pg.PoolClient = await tx.queryRunner.connect();
  await new Promise<void>((resolve, reject) => {
    let failed: { error: unknown } | undefined;
    const query = new pg.Query<Row>(text, [...values]);
    query.on('row', (row) => {
      if (failed) return;
      try {
        use(row);
      } catch (error) {
        failed = { error };
      }
    });
    query.on('error', (error) => reject(new QueryFailedError(text, [...values], error)));
    query.on('end', () => (failed ? reject(failed.error) : resolve()));
    client.query(query);
  });
}
