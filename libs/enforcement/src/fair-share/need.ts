import { chain, type Notice, type Resources, type SnapshotApplication, type Subject } from '#contracts';
import { amountOf } from '../amounts.js';
import { outcomeOfVictim, type PlannedVictim, type RunState } from '../run/run-state.js';
import { noLongerNeeded } from '../run/tally.js';
import type { LiveNeed, LivePlace, Starving } from './live-need.js';
import { type PlannedStart, startOf } from './starts.js';

/**
 * Returns why a victim is no longer needed, or undefined while it is.
 * docs/reference/policies/fair-share.md §12
 */
export function noMoreNeed(
  state: RunState,
  victim: PlannedVictim,
  resources: Resources,
  need: LiveNeed,
): Notice | undefined {
  const message = 'over' in need ? notOver(victim, resources, need.over) : servesNone(state, victim, need);
  if (message === undefined) return undefined;
  return { code: noLongerNeeded, message, about: whoseNeed(victim, need) };
}

/** The node or the operation for which the victim was to go. */
function whoseNeed(
  { cause, node, application, queue, preemptedFor }: PlannedVictim,
  need: LiveNeed,
): Subject {
  if ('over' in need && cause === 'overcommit' && node !== undefined) return { kind: 'node', name: node };
  if ('over' in need) return { kind: 'operation', name: application, queue };
  const where = need.operation === undefined ? {} : { queue: need.operation.queue };
  return { kind: 'operation', name: preemptedFor ?? application, ...where };
}

function notOver({ cause }: PlannedVictim, resources: Resources, over: readonly Resources[]) {
  const isOver = over.some((excess) =>
    Object.keys(excess).some((type) => amountOf(excess, type) > 0 && amountOf(resources, type) > 0),
  );
  if (isOver) return undefined;
  return cause === 'overcommit'
    ? 'Its node no longer holds more than its capacity.'
    : 'Neither its operation nor a pool above is over a limit any more.';
}

function servesNone(
  state: RunState,
  victim: PlannedVictim,
  { operation, starving, node }: Extract<LiveNeed, { starving: unknown }>,
): string | undefined {
  const name = victim.preemptedFor ?? 'The operation';
  if (operation === undefined) return `${name} has ended.`;
  const start = startOf(state, victim);
  if (start) {
    const before = startsBefore(state, start);
    const pending = stillPending(start, operation, node);
    if (pending === 0) return `${name} waits for no such allocation any more.`;
    if (before >= pending) return `${name} waits for ${pending} more of this size, and as many have room.`;
  }
  const priority = priorityOf(name, operation.queue, starving, scopeOf(state));
  if (priority === undefined) return `${name} no longer starves, nor does a pool above it.`;
  if (victim.cause === 'aggressive-starvation' && priority !== 'aggressively_starving') {
    return `${name} no longer starves aggressively.`;
  }
  return undefined;
}

/** Its own state; if it does not starve, that of the nearest pool above which does. docs/reference/policies/fair-share.md §8.2 */
function priorityOf(
  operation: string,
  queue: string,
  starving: readonly Starving[],
  scope: 'operation_and_ancestors' | 'operation_only',
): Starving['state'] | undefined {
  const own = starving.find(({ kind, name }) => kind === 'operation' && name === operation);
  if (own || scope === 'operation_only') return own?.state;
  const pools = new Map(
    starving.flatMap(({ kind, name, state }) => (kind === 'pool' ? [[name, state]] : [])),
  );
  return chain(queue)
    .map((path) => pools.get(path))
    .find((state) => state !== undefined);
}

const scopeOf = ({ planned }: RunState) =>
  planned?.settings.schedulingPreemptionPriorityScope === 'operation_only'
    ? 'operation_only'
    : 'operation_and_ancestors';

/**
 * Counts the starts for the same ask that come before one: those whose room is made or begun, and of the others those
 * that were planned earlier. Whether room that was made has been taken cannot be known. It counts as still free, so
 * that rather too few victims go.
 */
function startsBefore(state: RunState, start: PlannedStart): number {
  const { starts = [], victims = [] } = state.planned?.plan ?? {};
  const rankOf = new Map(victims.map(({ allocation, rank }) => [allocation, rank]));
  const outcomes = ({ victims: ids }: PlannedStart) =>
    ids.map((id) => outcomeOfVictim(state, rankOf.get(id) ?? 0));
  const isBegun = (other: PlannedStart) => outcomes(other).includes('evicted');
  const isLost = (other: PlannedStart) =>
    outcomes(other).some((outcome) => outcome === 'spared' || outcome === 'failed');
  const alike = starts.filter(
    (other) =>
      other.operation === start.operation &&
      other.victims.length > 0 &&
      isSame(other.resources, start.resources) &&
      (other === start || isBegun(other) || !isLost(other)),
  );
  const inTurn = [...alike.filter(isBegun), ...alike.filter((other) => !isBegun(other))];
  return inTurn.indexOf(start);
}

/** How many of its size the operation waits for that may start on the node. */
function stillPending(
  { resources }: PlannedStart,
  { pending = [], properties }: Pick<SnapshotApplication, 'pending' | 'properties'>,
  node: LivePlace | null | undefined,
): number {
  const isOpenTo = (wanted: unknown) =>
    !node || Object.entries(wanted ?? {}).every(([label, value]) => node.labels[label] === value);
  if (!isOpenTo(properties?.schedulingTagFilter)) return 0;
  return pending
    .filter(
      (ask) => isSame(ask.resources, resources) && isOpenTo((ask as { nodeSelector?: unknown }).nodeSelector),
    )
    .reduce((sum, { count = 1 }) => sum + count, 0);
}

function isSame(a: Resources, b: Resources): boolean {
  return Object.keys({ ...a, ...b }).every((type) => amountOf(a, type) === amountOf(b, type));
}
