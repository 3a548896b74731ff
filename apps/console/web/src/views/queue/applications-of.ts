import type { Amounts } from '../../parts/amounts.js';

interface Allocated {
  application: string;
  resources: Amounts;
  startedAt?: string | undefined;
}

/** An application, and what its allocations have together. */
export interface Application {
  application: string;
  allocations: number;
  resources: Amounts;
  /** Of its first allocation; undefined: not known. */
  startedAt: string | undefined;
}

/** Those with the most allocations first. */
export function applicationsOf(allocations: readonly Allocated[]): Application[] {
  const found = new Map<string, Application>();
  for (const { application, resources, startedAt } of allocations) {
    const known = found.get(application) ?? { application, allocations: 0, resources: {}, startedAt };
    known.allocations++;
    if (startedAt !== undefined && (known.startedAt ?? startedAt) >= startedAt) known.startedAt = startedAt;
    for (const [type, amount] of Object.entries(resources))
      known.resources[type] = (known.resources[type] ?? 0) + amount;
    found.set(application, known);
  }
  return [...found.values()].sort(
    (a, b) => b.allocations - a.allocations || (a.application < b.application ? -1 : 1),
  );
}
