import type { Resources } from './resources.js';

/** Total resources of allocations, capped at the largest amount of a plan. */
export function totalOf(allocations: readonly { resources: Resources }[]): Resources {
  const total = new Map<string, number>();
  for (const { resources } of allocations) {
    for (const [type, amount] of Object.entries(resources)) {
      total.set(type, Math.min(Number.MAX_SAFE_INTEGER, (total.get(type) ?? 0) + amount));
    }
  }
  return Object.fromEntries(total);
}
