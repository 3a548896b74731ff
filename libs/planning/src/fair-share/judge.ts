import type { ReadFairShareSettings } from '#contracts';
import { type Effective, effectiveSettings } from './effective.js';
import { fairShares } from './fair-shares.js';
import { fifoPlaces } from './fifo-places.js';
import { type Guarantees, guaranteeShares } from './guarantees.js';
import { type Entitlement, type Live, ShareStatus } from './share-status.js';
import { limitsShares, sharesOf } from './shares.js';
import type { FairShareSnapshot } from './snapshot/columns.js';
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
  const effective = effectiveSettings(snapshot, settings);
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
