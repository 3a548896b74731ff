import type { DomainEvent } from '@curtail/contracts';
import { isRound, type PlannedVictim, type RunState } from '@curtail/enforcement';
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

/** Victims of a round that are spared stay: the rounds that follow, and quotas, are to see that before its run is over. */
export function noMoreLeaving(
  state: RunState,
  events: readonly DomainEvent[],
): ((tx: Tx) => Promise<void>) | undefined {
  const stay = events.flatMap(({ name, data }) => (name === 'VictimSpared' ? [data.allocation] : []));
  if (!isRound(state) || stay.length === 0) return undefined;
  return async (tx) => {
    await tx.query('DELETE FROM planned_victims WHERE enforcement = $1 AND allocation = ANY ($2)', [
      state.planned?.enforcement,
      stay,
    ]);
  };
}
