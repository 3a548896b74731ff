import type { ShownElement } from '#contracts';
import type { Tx } from '#event-store';

/** Replaces the findings of the round before with those of the last round. */
export async function keepView(
  tx: Tx,
  partition: string,
  { round, takenAt, statuses }: { round: number; takenAt: string; statuses: readonly ShownElement[] },
): Promise<void> {
  await tx.query(
    `INSERT INTO fair_share_views (partition, round, taken_at, statuses) VALUES ($1, $2, $3, $4)
     ON CONFLICT (partition) DO UPDATE
       SET round = excluded.round, taken_at = excluded.taken_at, statuses = excluded.statuses`,
    [partition, round, takenAt, JSON.stringify(statuses)],
  );
}

/** The policy is switched off: removes the findings. */
export async function dropView(tx: Tx, partition: string): Promise<void> {
  await tx.query('DELETE FROM fair_share_views WHERE partition = $1', [partition]);
}
