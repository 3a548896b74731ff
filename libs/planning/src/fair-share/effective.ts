import type { ReadFairShareSettings, Resources } from '#contracts';
import { type FairShareSnapshot, INHERITED } from './snapshot/columns.js';

/** The settings in force for each element: docs/reference/policies/fair-share.md §3, "Inheritance". */
export interface Effective {
  /** Milliseconds. */
  readonly timeout: Float64Array;
  readonly tolerance: Float64Array;
  readonly enableAggressive: Uint8Array;
  readonly allowAggressive: Uint8Array;
  readonly allowNormal: Uint8Array;
  readonly usageThreshold: readonly Resources[];
  /** Milliseconds that a victim of an operation has to finish; by operation. */
  readonly preemptionTimeout: Float64Array;
}

export function effectiveElementSettings(
  snapshot: FairShareSnapshot,
  settings: ReadFairShareSettings,
): Effective {
  const { elements, pools, operations } = snapshot;
  const count = elements.count;
  const effective = {
    timeout: elements.timeout.slice(),
    tolerance: elements.tolerance.slice(),
    enableAggressive: new Uint8Array(count),
    allowAggressive: new Uint8Array(count),
    allowNormal: new Uint8Array(count),
    usageThreshold: new Array<Resources>(count),
    preemptionTimeout: operations.preemptionTimeout.map((own) =>
      Number.isNaN(own) ? settings.allocationPreemptionTimeout : own,
    ),
  };
  const flag = (own: number, column: Uint8Array, above: number, ofSettings: boolean): number =>
    own !== INHERITED ? own : above >= 0 ? column[above]! : ofSettings ? 1 : 0;

  for (let pool = 0; pool < pools.count; pool++) {
    const above = elements.parent[pool]!;
    if (Number.isNaN(effective.timeout[pool]!)) {
      effective.timeout[pool] = above < 0 ? settings.fairShareStarvationTimeout : effective.timeout[above]!;
    }
    if (Number.isNaN(effective.tolerance[pool]!)) {
      effective.tolerance[pool] =
        above < 0 ? settings.fairShareStarvationTolerance : effective.tolerance[above]!;
    }
    effective.enableAggressive[pool] = flag(
      pools.enableAggressive[pool]!,
      effective.enableAggressive,
      above,
      settings.enableAggressiveStarvation,
    );
    effective.allowAggressive[pool] = flag(
      pools.allowAggressive[pool]!,
      effective.allowAggressive,
      above,
      settings.allowAggressivePreemption,
    );
    effective.allowNormal[pool] = flag(pools.allowNormal[pool]!, effective.allowNormal, above, true);
    effective.usageThreshold[pool] =
      elements.usageThreshold[pool] ??
      (above < 0 ? settings.nonPreemptibleResourceUsageThreshold : effective.usageThreshold[above]!);
  }
  for (let operation = 0; operation < operations.count; operation++) {
    const element = pools.count + operation;
    const above = elements.parent[element]!;
    const { timeout, tolerance } = effective;
    // An operation may only make the planner more patient: a change in the other direction has no effect.
    timeout[element] = Math.max(timeout[above]!, orElse(timeout[element]!, 0));
    tolerance[element] = Math.min(tolerance[above]!, orElse(tolerance[element]!, 1));
    effective.enableAggressive[element] = effective.enableAggressive[above]!;
    const spared = operations.gang[operation] === 1 && !settings.allowAggressivePreemptionForGangOperations;
    effective.allowAggressive[element] = spared ? 0 : effective.allowAggressive[above]!;
    effective.allowNormal[element] = effective.allowNormal[above]!;
    effective.usageThreshold[element] = smaller(
      elements.usageThreshold[element],
      effective.usageThreshold[above]!,
    );
  }
  return effective;
}

function orElse(number: number, absent: number): number {
  return Number.isNaN(number) ? absent : number;
}

/** By type the smaller one where both name it, else the one that is named. */
function smaller(own: Resources | undefined, inherited: Resources): Resources {
  if (own === undefined) return inherited;
  const amounts = new Map(Object.entries(inherited));
  for (const [type, amount] of Object.entries(own)) {
    amounts.set(type, Math.min(amount, amounts.get(type) ?? amount));
  }
  return Object.fromEntries([...amounts].sort(([a], [b]) => (a < b ? -1 : 1)));
}
