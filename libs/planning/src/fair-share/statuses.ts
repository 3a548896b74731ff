import type { FairShareStatus, Ratios } from '#contracts';
import { instantText } from '../writing/texts.js';
import type { Draft } from './draft.js';
import { AGGRESSIVE, PLAIN, SAFE } from './groups.js';
import { compareTexts } from './reasons.js';
import { sharesOf } from './shares.js';
import { starvationNames } from './snapshot/values.js';
import { rounded } from './tolerance.js';

/** Every pool by path, then every operation by id, as they were found: docs/reference/policies/fair-share.md §13, `statuses`. */
export function statusesOf(draft: Draft): FairShareStatus[] {
  const { snapshot, entitlement, guarantees, limits, starvation } = draft.judged;
  const { pools, operations, totals } = snapshot;
  const width = totals.length;
  const types = shownTypes(draft);
  const usage = sharesOf(draft.usage, totals);
  const satisfaction = draft.shareStatus.satisfactions();
  const orders = placesInOrder(draft);
  const ratios = (table: Float64Array, element: number): Ratios =>
    Object.fromEntries(
      types.map(({ name, type }) => [name, type < 0 ? 0 : rounded(table[element * width + type]!)]),
    );
  const statusOf = (element: number): FairShareStatus => {
    const operation = element - pools.count;
    const order = orders.get(operation);
    return {
      kind: operation < 0 ? 'pool' : 'operation',
      name: operation < 0 ? pools.paths[element]! : operations.ids[operation]!,
      fairShare: ratios(entitlement.fair, element),
      usageShare: ratios(usage, element),
      demandShare: ratios(entitlement.demand, element),
      guaranteeShare: ratios(guarantees.shares, element),
      limitsShare: ratios(limits, element),
      satisfaction: shownRatio(satisfaction[element]!),
      localSatisfaction: shownRatio(draft.shareStatus.ownSatisfaction(element)),
      status: starvation.below[element] === 1 ? 'below_fair_share' : 'normal',
      starvation: starvationNames[starvation.state[element]!]!,
      belowFairShareSince: textOrNull(starvation.belowSince[element]!),
      starvingSince: textOrNull(starvation.starvingSince[element]!),
      effective: effectiveOf(draft, element),
      ...(operation < 0
        ? {}
        : {
            priority: starvationNames[draft.priority(operation)]!,
            ...(order === undefined ? {} : { order }),
            groups: groupsOf(draft, operation),
          }),
    };
  };
  const byPath = pools.paths.map((_, pool) => pool);
  byPath.sort((a, b) => compareTexts(pools.paths[a]!, pools.paths[b]!));
  return [...byPath, ...operations.ids.map((_, operation) => pools.count + operation)].map(statusOf);
}

/** The types of §5: those in use, and the main one; -1 where the snapshot does not know it at all. */
function textOrNull(instant: number): string | null {
  return Number.isNaN(instant) ? null : instantText(instant);
}

function shownTypes({ judged: { snapshot, settings } }: Draft): { name: string; type: number }[] {
  const types = snapshot.types
    .map((name, type) => ({ name, type }))
    .filter(({ name, type }) => snapshot.typeInUse[type] === 1 || name === settings.mainResource);
  if (!snapshot.typeNumber.has(settings.mainResource)) types.push({ name: settings.mainResource, type: -1 });
  return types.sort((a, b) => compareTexts(a.name, b.name));
}

function shownRatio(ratio: number): number | 'infinite' {
  return ratio === Number.POSITIVE_INFINITY ? 'infinite' : rounded(ratio);
}

/** The first six settings of §3, as they are in force for an element. */
function effectiveOf(
  { judged: { snapshot, settings, effective } }: Draft,
  element: number,
): Record<string, unknown> {
  const operation = element - snapshot.pools.count;
  const threshold = effective.usageThreshold[element]!;
  return {
    fairShareStarvationTimeout: effective.timeout[element]!,
    fairShareStarvationTolerance: effective.tolerance[element]!,
    enableAggressiveStarvation: effective.enableAggressive[element] === 1,
    allowAggressivePreemption: effective.allowAggressive[element] === 1,
    nonPreemptibleResourceUsageThreshold: Object.fromEntries(
      Object.entries(threshold).sort(([a], [b]) => compareTexts(a, b)),
    ),
    allocationPreemptionTimeout:
      operation < 0 ? settings.allocationPreemptionTimeout : effective.preemptionTimeout[operation]!,
  };
}

/** From 1; suspended operations have none. */
function placesInOrder({ judged: { snapshot }, order }: Draft): Map<number, number> {
  const { operations } = snapshot;
  const waiting = operations.ids.map((_, operation) => operation);
  const inOrder = waiting
    .filter((operation) => operations.suspended[operation] === 0)
    .sort((a, b) => (order.isBefore(a, b) ? -1 : 1));
  return new Map(inOrder.map((operation, place) => [operation, place + 1]));
}

function groupsOf(draft: Draft, operation: number): NonNullable<FairShareStatus['groups']> {
  const { operations, allocations } = draft.judged.snapshot;
  const running = operations.byOperation.subarray(
    operations.firstAllocation[operation]!,
    operations.firstAllocation[operation + 1]!,
  );
  const inGroup = (group: number): string[] =>
    Array.from(running)
      .filter((a) => draft.groups.of(a) === group)
      .map((a) => allocations.ids[a]!);
  return {
    nonPreemptible: inGroup(SAFE),
    aggressivelyPreemptible: inGroup(AGGRESSIVE),
    preemptible: inGroup(PLAIN),
  };
}
