import { chain, type DomainEvent, type Notice, type Resources, type SnapshotAllocation } from '#contracts';
import { sum } from '../amounts.js';
import type { RunControl } from './control.js';
import { abort } from './end.js';
import type { ReachableFacts, VictimFacts } from './facts.js';
import { notNeededAnyMore } from './rejudge.js';
import type { PlannedVictim, RunState } from './run-state.js';
import { ownChecks, withOpenOrder } from './state.js';
import { check, type Eviction, killOf, type Step, waitForCluster } from './step.js';
import { type Manner, mannerOf } from './unit.js';
import { notNeeded, spareReason } from './victim-checks.js';
import { victimGoneEvent, victimOrderedEvent, victimSparedEvent } from './victim-events.js';
import { presence } from './victim-place.js';
import { isTooLateToAsk, secondsLost, tooLateToAsk } from './work-lost.js';

/** Why a victim that still runs stays, by all checks right before its eviction; undefined: it may be evicted. */
export function whySpared(
  state: RunState,
  victim: PlannedVictim,
  live: SnapshotAllocation,
  now: string,
  control: RunControl,
  facts: ReachableFacts,
  manner: Manner,
): Notice | undefined {
  const spare = spareReason(state, victim, live, facts, manner !== 'alone');
  if (spare || manner === 'begun') return spare;
  return ownChecks(state)?.whyStays(state, victim, live, { now, control, facts });
}

/**
 * Decides about the victims of a page in their order, as if those ordered before had left already. The usage that a
 * victim is checked against is then never above the usage that it would be checked against alone: its queues stay above
 * their floors, and the enforced queue is still above its quota. A victim is spared only if no order of the page
 * precedes it: whether the victims before it go is not certain, so the page ends before it.
 *
 * A unit is judged as one: if a victim of it stays, all do. Victims that are gone already do not count.
 */
export function checked(
  state: RunState,
  page: readonly PlannedVictim[],
  now: string,
  control: RunControl,
  facts: readonly VictimFacts[],
): Step {
  if (facts[0]?.rank !== page[0]!.rank) return check(state, page);
  if ('unreachable' in facts[0]) return waitForCluster(state, now, control);
  const notNeeded = notNeededAnyMore(state, facts[0]);
  if (notNeeded) return { kind: 'append', events: abort(state, notNeeded) };
  const manner = mannerOf(state, page[0]!);
  if (manner === 'together') {
    if (page.some(({ rank }, i) => facts[i]?.rank !== rank)) return check(state, page);
    if (facts.some((found) => 'unreachable' in found)) return waitForCluster(state, now, control);
    const unneeded = unneededUnit(state, page, facts);
    if (unneeded) return { kind: 'append', events: unneeded };
  }
  const events: DomainEvent[] = [];
  const kills: Eviction[] = [];
  let leaving: Resources = {};
  let ordered = state;
  const queues = new Map(facts[0].queues);
  for (const [i, victim] of page.entries()) {
    const found = facts[i];
    if (found?.rank !== victim.rank || 'unreachable' in found) break;
    const { allocation } = found;
    const asIfGone = { ...ordered, freed: sum(state.freed, leaving) };
    const decided = checkedOne(asIfGone, victim, now, control, { ...found, queues }, manner);
    // Only rounds ask their victims to finish, and check them one by one, so there are no other decisions here.
    if (decided === 'notify') return { kind: 'notify', victims: [victim] };
    if (decided.name === 'VictimSpared' && manner === 'together') {
      return { kind: 'append', events: sparedUnit(state, page, facts, decided) };
    }
    if (decided.name === 'VictimSpared' && kills.length > 0) break;
    events.push(decided);
    if (decided.name !== 'VictimOrdered' || !allocation) continue;
    kills.push(killOf(state, victim, decided.data.evictionId, false));
    ordered = withOpenOrder(ordered, decided.data);
    leaving = sum(leaving, allocation.resources);
    for (const path of chain(allocation.queue)) {
      const queue = queues.get(path);
      if (!queue) continue;
      const notYetLeaving = sum(queue.notYetLeaving ?? {}, allocation.resources);
      queues.set(path, { ...queue, notYetLeaving });
    }
  }
  if (kills.length === 0) return { kind: 'append', events };
  return { kind: 'order', events, kills, ...(manner !== 'alone' && { isUnit: true }) };
}

/** The end of a unit that is no longer needed; undefined if one of its victims is: the others go with it. */
function unneededUnit(
  state: RunState,
  page: readonly PlannedVictim[],
  facts: readonly VictimFacts[],
): DomainEvent[] | undefined {
  const events: DomainEvent[] = [];
  for (const [i, victim] of page.entries()) {
    const found = facts[i];
    if (!found || 'unreachable' in found) return undefined;
    const live = found.allocation;
    const there = presence(victim, live);
    if (there !== 'running' || !live) {
      events.push(victimGoneEvent(state, victim.rank, there === 'running' ? 'gone' : there));
      continue;
    }
    const why = notNeeded(state, live.resources, found.queues);
    if (!why) return undefined;
    events.push(victimSparedEvent(state, victim.rank, why));
  }
  return events;
}

/** All victims of a unit that still run are spared, because one of them is. */
function sparedUnit(
  state: RunState,
  page: readonly PlannedVictim[],
  facts: readonly VictimFacts[],
  spared: DomainEvent<'VictimSpared'>,
): DomainEvent[] {
  const { rank, message } = spared.data;
  const first = page.find((victim) => victim.rank === rank)!;
  return page.map((victim, i) => {
    if (victim === first) return spared;
    const found = facts[i];
    const there = presence(victim, found && 'queues' in found ? found.allocation : undefined);
    if (there !== 'running') return victimGoneEvent(state, victim.rank, there);
    return victimSparedEvent(
      state,
      victim.rank,
      ownChecks(state)!.units!.whyRestStays(victim, first, message),
    );
  });
}

/** Decides about a victim without an order: gone, spared, ordered now, or to be asked to finish. */
function checkedOne(
  state: RunState,
  victim: PlannedVictim,
  now: string,
  control: RunControl,
  facts: ReachableFacts,
  manner: Manner,
): DomainEvent<'VictimGone' | 'VictimSpared' | 'VictimOrdered'> | 'notify' {
  const { rank } = victim;
  const { allocation } = facts;
  const found = presence(victim, allocation);
  if (found !== 'running' || !allocation)
    return victimGoneEvent(state, rank, found === 'running' ? 'gone' : found);
  const spare = whySpared(state, victim, allocation, now, control, facts, manner);
  if (spare) return victimSparedEvent(state, rank, spare);
  if (isTooLateToAsk(state, victim, now)) return victimSparedEvent(state, rank, tooLateToAsk(victim));
  if ((victim.gracePeriodMs ?? 0) > 0 && !state.killAt.has(rank)) return 'notify';
  const attempt = (state.refusals.get(rank)?.attempts ?? 0) + 1;
  const evictionId = `${state.planned?.enforcement}-${rank}-${attempt}`;
  const { resources } = allocation;
  const order = { rank, attempt, evictionId, resources, secondsLost: secondsLost(allocation, now) };
  return victimOrderedEvent(state, order, now);
}
