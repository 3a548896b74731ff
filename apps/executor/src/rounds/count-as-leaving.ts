import type { PlannedVictim, RunState } from '@curtail/enforcement';
import type { Tx } from '@curtail/event-store';

/** From here to the end of the run, or their outcome, these victims count as leaving, whoever looks. */
export async function countAsLeaving(
  tx: Tx,
  { planned }: RunState,
  victims: readonly PlannedVictim[],
): Promise<void> {
  if (victims.length === 0 || !planned) return;
  await tx.query(
    `INSERT INTO planned_victims (enforcement, partition, allocation, uid)
     SELECT $1, $2, * FROM unnest($3::text[], $4::text[]) ON CONFLICT DO NOTHING`,
    [
      planned.enforcement,
      planned.partition,
      victims.map(({ allocation }) => allocation),
      victims.map(({ uid }) => uid ?? null),
    ],
  );
}
