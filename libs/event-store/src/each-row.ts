import pg from 'pg';
import { QueryFailedError } from 'typeorm';
import type { Tx } from './database.js';

/**
 * Uses the rows of a statement as they come, while the server makes the next ones: for answers that are too large to be kept twice.
 * A cursor would do the same with less of the server's cores, since what it reads is not read in parallel.
 *
 * @param tx a transaction.
 * @param use called for each row, in their order. If it throws, the rest of the rows is passed over.
 * @throws QueryFailedError if the statement fails, perhaps after some rows; or what `use` threw.
 */
export async function eachRow<Row extends object>(
  tx: Tx,
  text: string,
  values: readonly unknown[],
  use: (row: Row) => void,
): Promise<void> {
  if (!tx.queryRunner) throw new TypeError('rows are read one by one in a transaction only');
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
