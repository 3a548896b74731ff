import type { Tx } from '@curtail/event-store';

/** A run, and the allocations that it is to evict. */
interface PlannedVictims {
  enforcement: string;
  partition: string;
  /** `uid` of the incarnation, where the cluster distinguishes incarnations. */
  victims: readonly { allocation: string; uid?: string | undefined }[];
}

/**
 * Until their run ends, or their outcome is recorded, these victims count as leaving for every reader (view
 * `leaving_victims`).
 *
 * @param areNew none of them is planned yet: the server then need not look for each of them.
 */
export async function addPlannedVictims(
  tx: Tx,
  runs: readonly PlannedVictims[],
  { areNew = false } = {},
): Promise<void> {
  const victims = runs.flatMap(({ victims }) => victims);
  if (victims.length === 0) return;
  // JSON, because an array takes this process ten times as long to write. Sorted by the key, because its index is then
  // written from one end to the other.
  await tx.query(
    `INSERT INTO planned_victims (enforcement, partition, allocation, uid)
     SELECT ($1::text[])[run::int], ($2::text[])[run::int], allocation, uid
     FROM ROWS FROM (json_array_elements_text($3), json_array_elements_text($4), json_array_elements_text($5)) AS victim (run, allocation, uid)
     ORDER BY run::int, allocation COLLATE "C" ${areNew ? '' : 'ON CONFLICT DO NOTHING'}`,
    [
      runs.map(({ enforcement }) => enforcement),
      runs.map(({ partition }) => partition),
      JSON.stringify(runs.flatMap(({ victims }, i) => victims.map(() => i + 1))),
      JSON.stringify(victims.map(({ allocation }) => allocation)),
      JSON.stringify(victims.map(({ uid }) => uid ?? null)),
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
