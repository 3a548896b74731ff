import type { ClusterSnapshot } from '#contracts';

/** The same snapshot in other orders: every array and every object turned around, and arrays shifted by a third. */
export function permutations(snapshot: ClusterSnapshot): ClusterSnapshot[] {
  return [
    reordered(snapshot, (items) => items.reverse()),
    reordered(snapshot, (items) => {
      const third = Math.floor(items.length / 3);
      return [...items.slice(third), ...items.slice(0, third)];
    }),
  ];
}

function reordered<T>(value: T, order: (items: unknown[]) => unknown[]): T {
  if (Array.isArray(value)) return order(value.map((item) => reordered(item, order))) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, reordered(item, order)]);
  return Object.fromEntries(order(entries) as [string, unknown][]) as T;
}
