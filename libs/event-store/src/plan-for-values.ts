import type { Tx } from './database.js';

/**
 * Plans the following statements of a transaction for their values. Connections plan each statement once for all values
 * (`PreparingClient`), which is wrong by orders of magnitude where a list of ids is long, a queue is most of its partition, or a table
 * was empty when the first connection planned and is not any more.
 */
export async function planForValues(tx: Pick<Tx, 'query'>): Promise<void> {
  await tx.query('SET LOCAL plan_cache_mode = force_custom_plan');
}
