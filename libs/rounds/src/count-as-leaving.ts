import type { EvictionAnnouncement } from '#clusters';
import type { DomainEvent } from '#contracts';
import { isRound, type PlannedVictim, type RunState } from '#enforcement';
import type { Tx } from '#event-store';
import { addPlannedVictims, dropPlannedVictims } from '#runs';

/** Until the end of the run, or their outcome, these victims count as leaving for every reader. */
export async function countAsLeaving(
  tx: Tx,
  { planned }: RunState,
  victims: readonly PlannedVictim[],
): Promise<void> {
  if (!planned) return;
  const { enforcement, partition, owners } = planned;
  await addPlannedVictims(tx, [{ enforcement, partition, victims, owners }]);
}

/** Spared victims of a round stop counting as leaving before its run is over, which later rounds and quotas have to see. */
export function noMoreLeaving(
  state: RunState,
  events: readonly DomainEvent[],
): ((tx: Tx) => Promise<void>) | undefined {
  const stay = events.flatMap(({ name, data }) => (name === 'VictimSpared' ? [data.allocation] : []));
  if (!state.planned || !isRound(state) || stay.length === 0) return undefined;
  const { enforcement } = state.planned;
  return (tx) => dropPlannedVictims(tx, enforcement, stay);
}

/** The announcement to the owner of a victim. */
export function announcementOf(
  partition: string,
  { allocation, uid, application, queue, reason }: PlannedVictim,
  killAt: Date,
): EvictionAnnouncement {
  return { partition, allocation, ...(uid === undefined ? {} : { uid }), application, queue, killAt, reason };
}
