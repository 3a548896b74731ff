import type { DataSource } from 'typeorm';
import type { Tx } from '#event-store';

/** The least retention: longer than any sensible cooldown, yet limited. */
const keptMs = 7 * 86_400_000;

/** When each application last lost an allocation to a round, as an instant. */
export async function readPreempted(db: DataSource, partition: string): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ application: string; at: Date }[]>(
    'SELECT application, last_preempted_at AS at FROM preempted_applications WHERE partition = $1',
    [partition],
  );
  return new Map(rows.map(({ application, at }) => [application, at.toISOString()]));
}

/**
 * Records when applications lost allocations to a round, for the cooldown; in the transaction that records the end of
 * the round. Deletes entries older than any cooldown in force.
 */
export async function notePreempted(
  tx: Tx,
  partition: string,
  applications: Iterable<string>,
  { at, cooldownMs }: { at: Date; cooldownMs: number },
): Promise<void> {
  const names = [...new Set(applications)].sort();
  if (names.length === 0) return;
  // There were no losses before 1970, and a cooldown may be longer than dates go back.
  const keptSince = new Date(Math.max(0, at.getTime() - Math.max(keptMs, cooldownMs)));
  await tx.query('DELETE FROM preempted_applications WHERE partition = $1 AND last_preempted_at < $2', [
    partition,
    keptSince.toISOString(),
  ]);
  await tx.query(
    `INSERT INTO preempted_applications (partition, application, last_preempted_at)
     SELECT $1, application, $3 FROM unnest($2::text[]) AS lost (application)
     ON CONFLICT (partition, application) DO UPDATE
       SET last_preempted_at = greatest(preempted_applications.last_preempted_at, excluded.last_preempted_at)`,
    [partition, names, at.toISOString()],
  );
}
