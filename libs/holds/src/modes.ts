import type { DataSource } from 'typeorm';
import type { Tx } from '#event-store';
import { PartitionMode } from './entities.js';

/** The mode that was set for a partition; null: none. What counts is decided by `modeInForce`. @param partition SQL. */
export const MODE_OF = (partition: string) =>
  `(SELECT mode FROM partition_modes WHERE partition_modes.partition = ${partition})`;

/** All modes that were set, by partition. */
export function modesSet(db: DataSource): Promise<PartitionMode[]> {
  return db.getRepository(PartitionMode).find({ order: { partition: 'ASC' } });
}

export async function saveMode(tx: Tx, mode: PartitionMode): Promise<void> {
  await tx.getRepository(PartitionMode).upsert(mode, ['partition']);
}
