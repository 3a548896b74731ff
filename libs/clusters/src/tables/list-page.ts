import type { DataSource } from 'typeorm';
import { planForValues } from './plan-for-values.js';
import type { AllocationRow } from './rows.js';

/**
 * Reads a page of a list by id, with a plan for its values. Of a queue that holds most of its partition, rows are read in the order of
 * their ids; of a small queue, its own rows are sorted. One plan for both would sort the large queue again for each page.
 */
export async function readListPage(
  db: DataSource,
  query: string,
  parameters: readonly unknown[],
): Promise<AllocationRow[]> {
  return db.transaction(async (tx) => {
    await planForValues(tx);
    return tx.query<AllocationRow[]>(query, [...parameters]);
  });
}
