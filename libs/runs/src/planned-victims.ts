import type { Tx } from '@curtail/event-store';

/** An allocation that a run is to evict. */
interface PlannedVictim {
  enforcement: string;
  partition: string;
  allocation: string;
  /** Of its incarnation, where the cluster distinguishes incarnations. */
  uid?: string | undefined;
}

/**
 * Until their run ends, or their outcome is recorded, these victims count as leaving for every reader (view
 * `leaving_victims`).
 */
export async function addPlannedVictims(tx: Tx, victims: readonly PlannedVictim[]): Promise<void> {
  if (victims.length === 0) return;
  await tx.query(
    `INSERT INTO planned_victims (enforcement, partition, allocation, uid)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) ON CONFLICT DO NOTHING`,
    [
      victims.map(({ enforcement }) => enforcement),
      victims.map(({ partition }) => partition),
      victims.map(({ allocation }) => allocation),
      victims.map(({ uid }) => uid ?? null),
    ],
  );
}

/** These victims of a run stay after all. */
export async function dropPlannedVictims(tx: Tx, enforcement: string, allocations: string[]): Promise<void> {
  await tx.query('DELETE FROM planned_victims WHERE enforcement = $1 AND allocation = ANY ($2)', [
    enforcement,
    allocations,
  ]);
}

/** The victims of these runs no longer count as leaving. */
export async function dropVictimsOf(tx: Tx, enforcements: string[]): Promise<void> {
  await tx.query('DELETE FROM planned_victims WHERE enforcement = ANY ($1)', [enforcements]);
}
