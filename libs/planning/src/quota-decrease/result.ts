import type { Notice, Outcome, Plan, Resources, Share, Spared } from '#contracts';
import type { QueueSnapshot } from '../snapshot/by-queue.js';
import { resourcesOf } from '../writing/texts.js';
import type { Draft } from './draft.js';
import type { Sharing } from './passes.js';
import type { Target } from './target.js';

/** A plan without target and victims: every key in the order of docs/reference/snapshot.md, "Plan". */
export function emptyPlan(
  queue: string,
  outcome: Outcome,
  inFlight: Resources,
  spared: Spared[] | null,
  notices: Notice[],
): Plan {
  return {
    apiVersion: 'curtail/v1',
    kind: 'Plan',
    policy: 'quota-decrease',
    queue,
    outcome,
    target: {},
    inFlight,
    claimed: {},
    shortfall: {},
    overshoot: {},
    collateral: {},
    shares: [],
    victims: [],
    ...(spared === null ? {} : { spared }),
    notices,
  };
}

/** The amounts of a plan that follow from its target and its victims. */
export function amountsOf(
  draft: Draft,
  victims: Int32Array,
): Pick<Plan, 'target' | 'claimed' | 'shortfall' | 'overshoot' | 'collateral'> {
  const { snapshot, target, claimed } = draft;
  const { size, firstEntry, entryType, entryAmount } = snapshot.allocations;
  const aside = new Float64Array(snapshot.types.length);
  for (let i = 0; i < victims.length; i++) {
    const of = size[victims[i]!]!;
    for (let e = firstEntry[of]!; e < firstEntry[of + 1]!; e++) {
      const type = entryType[e]!;
      if (target.placeOfType[type]! < 0) aside[type]! += entryAmount[e]!;
    }
  }
  return {
    target: resourcesOf(target.names, (place) => target.amounts[place]!),
    claimed: resourcesOf(target.names, (place) => claimed[place]!),
    shortfall: resourcesOf(target.names, (place) => target.amounts[place]! - claimed[place]!),
    overshoot: resourcesOf(target.names, (place) => claimed[place]! - target.amounts[place]!),
    collateral: resourcesOf(snapshot.types, (type) => aside[type]!),
  };
}

/** The amount that is leaving, in the types of the trigger's target, else of the queue's max. */
export function inFlightOf(snapshot: QueueSnapshot, queue: number, given: Resources | undefined): Resources {
  const { max, inFlight } = snapshot.queues;
  return resourcesOf(snapshot.types, (type) => {
    const cell = queue * snapshot.types.length + type;
    const named = given === undefined ? max[cell]! >= 0 : targetNames(given, snapshot.types[type]!);
    return named ? inFlight[cell]! : 0;
  });
}

function targetNames(given: Resources, type: string): boolean {
  return Object.hasOwn(given, type) && given[type]! > 0;
}

export function sharesOf(
  snapshot: QueueSnapshot,
  queue: number,
  target: Target,
  takesPart: Uint8Array,
  sharing: Sharing,
  claimedFrom: Float64Array,
): Share[] {
  const { queues } = snapshot;
  const width = target.count;
  const claimed = claimedFrom.slice();
  for (let q = queues.end[queue]! - 1; q > queue; q--) {
    const above = queues.parent[q]!;
    for (let place = 0; place < width; place++)
      claimed[above * width + place]! += claimed[q * width + place]!;
  }
  const shares: Share[] = [];
  for (let q = queue + 1; q < queues.end[queue]!; q++) {
    if (takesPart[q] === 0) continue;
    const row = (table: Float64Array): Resources =>
      resourcesOf(target.names, (place) => table[q * width + place]!);
    shares.push({
      queue: queues.paths[q]!,
      releasable: row(sharing.releasable),
      target: row(sharing.target),
      claimed: row(claimed),
    });
  }
  return shares;
}
