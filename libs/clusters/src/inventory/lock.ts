import type { Tx } from '@curtail/event-store';

/** Writers of a partition's inventory take turns, until the transaction ends: so its sums are right, and no two wait for each other. */
export async function lockInventory(tx: Tx, partition: string): Promise<void> {
  await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('inventory/' || $1, 0))", [partition]);
}
