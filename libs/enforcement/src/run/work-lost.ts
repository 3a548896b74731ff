import { type EventData, type Notice, type SnapshotAllocation, usersByApplication } from '#contracts';
import { addMs, toMs } from '../instants.js';
import { ofVictim, type PlannedVictim, type RunState } from './run-state.js';

export type WorkLost = NonNullable<EventData<'EnforcementEnded'>['lost']>;

/** Whole seconds of work that an eviction ordered now ends: since the start of the allocation, or its last checkpoint. */
export function secondsLost(
  { startedAt, checkpointedAt = startedAt }: Pick<SnapshotAllocation, 'startedAt' | 'checkpointedAt'>,
  now: string,
): number {
  return Math.max(0, Math.floor((toMs(now) - Math.max(toMs(startedAt), toMs(checkpointedAt))) / 1000));
}

/** The work lost with the evicted victims, by owner: the most victims first. */
export function workLost({ planned, secondsLost }: RunState): WorkLost {
  const users = usersByApplication(planned?.owners);
  const byOwner = new Map<string, WorkLost[number]>();
  for (const rank of secondsLost.ranks()) {
    const { application, resources } = planned!.plan.victims[rank - 1]!;
    const owner = users.get(application) ?? '';
    const of = byOwner.get(owner) ?? { owner, victims: 0, hours: {} };
    byOwner.set(owner, of);
    of.victims += 1;
    const hours = secondsLost.get(rank)! / 3600;
    for (const [type, amount] of Object.entries(resources)) {
      of.hours[type] = (of.hours[type] ?? 0) + amount * hours;
    }
  }
  return [...byOwner.values()].sort((a, b) => b.victims - a.victims || (a.owner < b.owner ? -1 : 1));
}

/** A victim is not asked to finish if the run could not kill it afterwards. */
export const tooLateToAsk = (victim: PlannedVictim): Notice => ({
  code: 'deadline',
  message: 'Its time to finish would not be over before the deadline of the run.',
  about: ofVictim(victim),
});

export function isTooLateToAsk(
  { opened, killAt }: RunState,
  { rank, gracePeriodMs = 0 }: PlannedVictim,
  now: string,
): boolean {
  if (!opened || gracePeriodMs === 0 || killAt.has(rank)) return false;
  return toMs(addMs(now, gracePeriodMs)) >= toMs(opened.deadlineAt);
}
