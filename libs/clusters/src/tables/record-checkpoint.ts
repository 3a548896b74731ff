import type { Tx } from '#event-store';

/** One incarnation of an allocation has saved its work up to `at`. */
export interface Checkpoint {
  partition: string;
  allocation: string;
  /** Absent: whichever runs. */
  uid?: string | undefined;
  at: Date;
}

/**
 * Records a checkpoint beside those of reports; the latest one of an incarnation holds. Plans with `ageFrom: "checkpoint"` and the work
 * lost count from there (docs/reference/policies/victim-care.md §3). A time in the future counts as now, by the clock of the database.
 *
 * @returns whether the incarnation is there.
 */
export async function recordCheckpoint(
  tx: Pick<Tx, 'query'>,
  { partition, allocation, uid, at }: Checkpoint,
): Promise<boolean> {
  const update = (table: string, also: string) => `
    UPDATE ${table}
    SET checkpointed_at = greatest(checkpointed_at, least($4::timestamptz, date_trunc('milliseconds', now())))
    WHERE partition = $1 AND id = $2 AND ($3::text IS NULL OR uid::text = $3) AND ${also} RETURNING 1`;
  const [row] = await tx.query<[{ found: boolean }]>(
    `WITH reported AS (${update('inventory_allocations', 'NOT gone')}),
          simulated AS (${update('simulated_allocations', '(gone_at IS NULL OR gone_at > now())')})
     SELECT EXISTS (SELECT FROM reported) OR EXISTS (SELECT FROM simulated) AS found`,
    [partition, allocation, uid ?? null, at],
  );
  return row.found;
}
