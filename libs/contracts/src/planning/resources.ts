/**
 * Amounts by resource type, in base units: memory in bytes, `vcore` in millicores, everything else in units.
 * Whole numbers from 0 to 2^53 - 1. A type that is absent is not set: no limit, no guarantee, no use.
 * docs/reference/snapshot.md, "Resources".
 */
export type Resources = { readonly [type: string]: number };

/** Total resources of allocations, capped at the largest amount of a plan. */
export function totalOf(allocations: readonly { resources: Resources }[]): Resources {
  // Many allocations share the objects of their few sizes.
  const counts = new Map<Resources, number>();
  for (const { resources } of allocations) counts.set(resources, (counts.get(resources) ?? 0) + 1);
  const total = new Map<string, number>();
  for (const [resources, count] of counts) {
    for (const [type, amount] of Object.entries(resources)) {
      total.set(type, Math.min(Number.MAX_SAFE_INTEGER, (total.get(type) ?? 0) + count * amount));
    }
  }
  return Object.fromEntries(total);
}
