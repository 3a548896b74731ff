import type { Tx } from '@curtail/event-store';

/**
 * Plans the following statements of a transaction for their values. Connections plan each statement once for all values
 * (`PreparingClient`), which is wrong by orders of magnitude where a list of ids is long, or a queue is most of its partition.
 */
export async function planForValues(tx: Pick<Tx, 'query'>): Promise<void> {
  await tx.query('SET LOCAL plan_cache_mode = force_custom_plan');
}
