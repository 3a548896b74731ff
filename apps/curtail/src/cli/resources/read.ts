import { type Page, pagesOf } from '#api-client';
import { placeOf } from '../output/inventory-lines.js';
import type { Client } from '../server/client.js';
import { fullName } from '../server/full-name.js';
import { CommandError } from '../terminal/errors.js';
import type { ListFilter, ResourceKind } from './resource-kind.js';

/** Most items of one page. */
const pageSize = 1000;
/** Items that are read to find one that is known. */
const mostFollowed = 100_000;

/** Partitions whose lists are read for `--all-partitions`. */
const mostPartitions = 1000;

/** As `readList`, of one partition or of all, in the order of `sortBy`. */
export async function readListed<T>(
  client: Client,
  resource: Pick<ResourceKind<T>, 'list' | 'everywhere'>,
  filter: ListFilter,
  signal?: AbortSignal,
  isKnown?: (item: T) => boolean,
): Promise<Page<T>> {
  const page =
    filter.allPartitions && !resource.everywhere
      ? await readOfAll(client, resource, filter, signal, isKnown)
      : await readList(client, resource, filter, signal, isKnown);
  return filter.sortBy === undefined ? page : { ...page, items: sortedBy(page.items, filter.sortBy) };
}

/** The lists of all partitions, one after the other; each item has its partition. */
async function readOfAll<T>(
  client: Client,
  resource: Pick<ResourceKind<T>, 'list'>,
  filter: ListFilter,
  signal?: AbortSignal,
  isKnown?: (item: T) => boolean,
): Promise<Page<T>> {
  const all = await client.get('/v1/partitions', { params: { query: { limit: mostPartitions } }, signal });
  const items: T[] = [];
  for (const { partition } of all.items) {
    const limit = filter.limit - items.length;
    if (limit === 0) return { items, next: partition };
    const page = await readList(client, resource, { ...filter, partition, limit }, signal, isKnown);
    for (const item of page.items) items.push({ partition, ...item });
    if (page.next !== undefined && items.length >= filter.limit) return { items, next: page.next };
  }
  return { items };
}

/**
 * A list, page by page up to the limit; `next` is present if there is more.
 *
 * @param isKnown the list is read on until it comes to such an item.
 */
export async function readList<T>(
  client: Client,
  { list }: Pick<ResourceKind<T>, 'list'>,
  { limit, ...filter }: ListFilter,
  signal?: AbortSignal,
  isKnown?: (item: T) => boolean,
): Promise<Page<T>> {
  const items: T[] = [];
  let isAtKnown = false;
  const read = (after?: string) =>
    list.page(
      client,
      { ...filter, after, limit: items.length < limit ? Math.min(pageSize, limit - items.length) : pageSize },
      signal,
    );
  for await (const page of pagesOf(read)) {
    for (const item of page.items) items.push(item);
    isAtKnown ||= isKnown === undefined || page.items.some(isKnown);
    const isEnough = items.length >= limit && (isAtKnown || items.length >= mostFollowed);
    if (isEnough && page.next !== undefined) return { items, next: page.next };
  }
  return { items };
}

/** @throws CommandError if there is none with that name, or this kind has no names. */
export async function readOne<T>(
  client: Client,
  resource: ResourceKind<T>,
  name: string,
  filter: ListFilter,
  signal?: AbortSignal,
): Promise<T> {
  if (!resource.one) {
    throw new CommandError(
      `${resource.plural} have no names: list them, with --queue${resource.dated ? ' or --since' : ''} to narrow it down`,
    );
  }
  const whole = resource.shortens
    ? await fullName(client, resource.shortens, name, filter.partition, signal)
    : name;
  const item = await resource.one(client, whole, filter, signal);
  if (item !== undefined) return item;
  throw new CommandError(`there is no ${resource.kind} ${name} in partition ${filter.partition}`, {
    next: `list them: curtail get ${resource.plural}${placeOf(filter)}`,
  });
}

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
