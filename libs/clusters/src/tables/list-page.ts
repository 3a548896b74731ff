import type { DataSource } from 'typeorm';
import { InputError } from '#contracts';
import { planForValues } from '#event-store';

const mostListed = 10_000;

/**
 * Reads a page of a list by id, with a plan for its values. Of a queue that holds most of its partition, rows are read in the order of
 * their ids; of a small queue, its own rows are sorted. One plan for both would sort the large queue again for each page.
 *
 * @throws InputError unless `limit` is between 1 and 10,000 rows.
 */
export async function readListPage<Row>(
  db: DataSource,
  limit: number,
  query: string,
  parameters: readonly unknown[],
): Promise<Row[]> {
  if (!Number.isInteger(limit) || limit < 1 || limit > mostListed) {
    throw new InputError(
      'limit',
      `A limit of ${limit} is not possible: give a whole number from 1 to ${mostListed}.`,
    );
  }
  return db.transaction(async (tx) => {
    await planForValues(tx);
    return tx.query<Row[]>(query, [...parameters]);
  });
}
