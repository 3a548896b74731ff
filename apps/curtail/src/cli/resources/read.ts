import type { ListPage, PartitionView } from '@curtail/contracts/api';
import { CommandError } from '../errors.js';
import { placeOf } from '../output/place.js';
import { pathOf } from '../server/address.js';
import type { Client } from '../server/client.js';
import { fullName } from '../server/full-name.js';
import type { ListFilter, ResourceKind } from './resource-kind.js';
import { sortedBy } from './sorted.js';

/** Most items of one page. */
const pageSize = 1000;
/** Items that are read to find one that is known. */
const mostFollowed = 100_000;

/** Partitions whose lists are read for `--all-partitions`. */
const mostPartitions = 1000;

/** As `readList`, of one partition or of all, in the order of `sortBy`. */
export async function readListed<T>(
  client: Client,
  resource: Pick<ResourceKind<T>, 'plural' | 'address' | 'everywhere' | 'ofPartition'>,
  filter: ListFilter,
  signal?: AbortSignal,
  isKnown?: (item: T) => boolean,
): Promise<ListPage<T>> {
  const page =
    filter.allPartitions && !resource.everywhere
      ? await readOfAll(client, resource, filter, signal, isKnown)
      : await readList(client, resource, filter, signal, isKnown);
  return filter.sortBy === undefined ? page : { ...page, items: sortedBy(page.items, filter.sortBy) };
}

/** The lists of all partitions, one after the other; each item has its partition. */
async function readOfAll<T>(
  client: Client,
  resource: Pick<ResourceKind<T>, 'plural' | 'address' | 'ofPartition'>,
  filter: ListFilter,
  signal?: AbortSignal,
  isKnown?: (item: T) => boolean,
): Promise<ListPage<T>> {
  const all = await client.get<ListPage<PartitionView>>(
    pathOf(['partitions'], { limit: mostPartitions }),
    signal,
  );
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
  { plural, address = plural, ofPartition }: Pick<ResourceKind<T>, 'plural' | 'address' | 'ofPartition'>,
  { partition, queue, since, limit, state, policy, type, by }: ListFilter,
  signal?: AbortSignal,
  isKnown?: (item: T) => boolean,
): Promise<ListPage<T>> {
  const items: T[] = [];
  let after: string | undefined;
  let isAtKnown = false;
  do {
    const page = await client.get<ListPage<T>>(
      pathOf(ofPartition ? ['partitions', partition, address] : [address], {
        ...(ofPartition ? {} : { partition }),
        queue,
        since,
        state,
        policy,
        type,
        by,
        after,
        limit: items.length < limit ? Math.min(pageSize, limit - items.length) : pageSize,
      }),
      signal,
    );
    for (const item of page.items) items.push(item);
    after = page.next;
    isAtKnown ||= isKnown === undefined || page.items.some(isKnown);
  } while (after !== undefined && (items.length < limit || (!isAtKnown && items.length < mostFollowed)));
  return after === undefined ? { items } : { items, next: after };
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
