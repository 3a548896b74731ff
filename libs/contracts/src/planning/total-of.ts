import type { Resources } from './resources.js';

/** What allocations hold together, up to the largest amount that a plan can hold. */
export function totalOf(allocations: readonly { resources: Resources }[]): Resources {
  const total = new Map<string, number>();
  for (const { resources } of allocations) {
    for (const [type, amount] of Object.entries(resources)) {
      total.set(type, Math.min(Number.MAX_SAFE_INTEGER, (total.get(type) ?? 0) + amount));
    }
  }
  return Object.fromEntries(total);
}
