import { CommandError } from '../terminal/errors.js';

/**
 * Items by a field of their JSON form, such as `usage.memory`; `-` before it: largest first. Numbers are compared as numbers, anything
 * else as text. Items without the field come last, equal ones keep their order.
 *
 * @throws CommandError if no item has the field.
 */
export function sortedBy<T>(items: readonly T[], sortBy: string): T[] {
  const isDescending = sortBy.startsWith('-');
  const path = sortBy.replace(/^[-.]+/, '').split('.');
  const keyed = items.map((item) => ({ item, value: valueAt(item, path) }));
  const present = keyed.filter(({ value }) => value !== undefined && value !== null);
  if (present.length === 0 && items.length > 0) {
    throw new CommandError(
      `there is no field ${path.join('.')} to sort by; the fields are ${Object.keys(items[0] as object).join(', ')}`,
    );
  }
  const absent = keyed.filter(({ value }) => value === undefined || value === null);
  present.sort((a, b) => (isDescending ? compared(b.value, a.value) : compared(a.value, b.value)));
  return [...present, ...absent].map(({ item }) => item);
}

/** Own fields only: a resource type may be called `constructor`. */
function valueAt(item: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string, unknown>)[key]
        : undefined,
    item,
  );
}

function compared(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [left, right] = [String(a), String(b)];
  return left < right ? -1 : Number(left > right);
}
