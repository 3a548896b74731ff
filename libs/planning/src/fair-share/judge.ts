import type { ReadFairShareSettings } from '#contracts';
import { type Effective, effectiveElementSettings } from './effective.js';
import { fairShares } from './fair-shares.js';
import { type Guarantees, guaranteeShares } from './guarantees.js';
import { type Entitlement, type Live, ShareStatus } from './share-status.js';
import { limitsShares, sharesOf } from './shares.js';
import type { FairShareSnapshot, FifoParameter } from './snapshot/columns.js';
import { type Starvation, starvationOf } from './starvation.js';

/** A cluster as one check finds it: docs/reference/policies/fair-share.md §5 to §8. */
export interface Judged {
  readonly snapshot: FairShareSnapshot;
  readonly settings: ReadFairShareSettings;
  readonly effective: Effective;
  readonly places: Int32Array;
  readonly limits: Float64Array;
  readonly guarantees: Guarantees;
  readonly entitlement: Entitlement;
  readonly starvation: Starvation;
}

export function judge(snapshot: FairShareSnapshot, settings: ReadFairShareSettings): Judged {
  const { elements, totals } = snapshot;
  const effective = effectiveElementSettings(snapshot, settings);
  const places = fifoPlaces(snapshot);
  const limits = limitsShares(snapshot, settings);
  const guarantees = guaranteeShares(snapshot, limits, settings.mainResource);
  const demand = sharesOf(elements.demand, totals);
  const tables = { usage: sharesOf(elements.usage, totals), demand, limits, guarantee: guarantees.shares };
  const fair = fairShares(snapshot, settings, tables, places);
  const entitlement = { fair, demand, tolerance: effective.tolerance };
  const shareStatus = shareStatusOf(snapshot, settings, entitlement, {
    usage: elements.usage,
    waiting: snapshot.asks.waiting,
  });
  const starvation = starvationOf(snapshot, settings, effective, (element) => shareStatus.isBelow(element));
  return { snapshot, settings, effective, places, limits, guarantees, entitlement, starvation };
}

export function shareStatusOf(
  snapshot: FairShareSnapshot,
  settings: ReadFairShareSettings,
  entitlement: Entitlement,
  live: Live,
): ShareStatus {
  return new ShareStatus(snapshot, entitlement, settings.enableAbsoluteFairShareStarvationTolerance, live);
}

/** The place of each operation in its fifo pool, from 0; 0 for those of other pools. docs/reference/policies/fair-share.md §6 */
function fifoPlaces(snapshot: FairShareSnapshot): Int32Array {
  const { pools, elements, operations } = snapshot;
  const places = new Int32Array(operations.count);
  for (let pool = 0; pool < pools.count; pool++) {
    if (pools.fifo[pool] === 0) continue;
    const members = elements.children.slice(elements.firstChild[pool]!, elements.firstChild[pool + 1]!);
    const parameters = pools.fifoParameters[pool]!;
    const before = (a: number, b: number): number => {
      for (const parameter of parameters) {
        const order = orderBy(parameter, snapshot, a, b);
        if (order !== 0) return order;
      }
      return a - b;
    };
    members
      .map((element) => element - pools.count)
      .sort(before)
      .forEach((operation, place) => {
        places[operation] = place;
      });
  }
  return places;
}

function orderBy(
  parameter: FifoParameter,
  { pools, elements, operations }: FairShareSnapshot,
  a: number,
  b: number,
): number {
  if (parameter === 'weight') return elements.weight[pools.count + b]! - elements.weight[pools.count + a]!;
  const column = parameter === 'startTime' ? operations.submittedAt : operations.pending;
  return column[a]! - column[b]!;
}
