import type { DataSource } from 'typeorm';
import type { Mode } from '#enforcement';
import type { Tx } from '#event-store';

/** The mode that was set for a partition. */
export interface SetMode {
  partition: string;
  mode: Mode;
}

/** The mode that was set for a partition; null: none. What counts is decided by `modeInForce`. @param partition SQL. */
export const MODE_OF = (partition: string) =>
  `(SELECT mode FROM partition_modes WHERE partition_modes.partition = ${partition})`;

/** All modes that were set, by partition. */
export function modesSet(db: DataSource): Promise<SetMode[]> {
  return db.query('SELECT partition, mode FROM partition_modes ORDER BY partition');
}

export async function saveMode(tx: Tx, { partition, mode }: SetMode): Promise<void> {
  await tx.query(
    `INSERT INTO partition_modes (partition, mode) VALUES ($1, $2)
     ON CONFLICT (partition) DO UPDATE SET mode = excluded.mode`,
    [partition, mode],
  );
}
