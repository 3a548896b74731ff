import type { Tx } from '#event-store';

/** Serializes writers of a partition's inventory until the transaction ends: the sums stay right, and writers cannot deadlock. */
export async function lockInventory(tx: Tx, partition: string): Promise<void> {
  await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('inventory/' || $1, 0))", [partition]);
}
