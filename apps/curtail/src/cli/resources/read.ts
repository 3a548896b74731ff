import type { ListPage } from '@curtail/contracts/api';
import { CommandError } from '../errors.js';
import { placeOf } from '../output/place.js';
import { pathOf } from '../server/address.js';
import type { Client } from '../server/client.js';
import { fullName } from '../server/full-name.js';
import type { ListFilter, ResourceKind } from './resource-kind.js';

/** Most items of one page. */
const pageSize = 1000;
/** Items that are read to find one that is known. */
const mostFollowed = 100_000;

/**
 * A list, page by page up to the limit; `next` is present if there is more.
 *
 * @param isKnown the list is read on until it comes to such an item.
 */
export async function readList<T>(
  client: Client,
  { plural, address = plural }: Pick<ResourceKind<T>, 'plural' | 'address'>,
  { partition, queue, since, limit }: ListFilter,
  signal?: AbortSignal,
  isKnown?: (item: T) => boolean,
): Promise<ListPage<T>> {
  const items: T[] = [];
  let after: string | undefined;
  let isAtKnown = false;
  do {
    const page = await client.get<ListPage<T>>(
      pathOf([address], {
        partition,
        queue,
        since,
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
