import type { ListPage } from '@curtail/contracts/api';
import { CommandError } from '../errors.js';
import { pathOf } from '../server/address.js';
import type { Client } from '../server/client.js';
import { type ListFilter, placeOf, type ResourceKind } from './resource-kind.js';

/** Most items of one page. */
const pageSize = 1000;

/** A list, page by page up to the limit; `next` is present if there is more. */
export async function readList<T>(
  client: Client,
  { plural }: Pick<ResourceKind<T>, 'plural'>,
  { partition, queue, since, limit }: ListFilter,
  signal?: AbortSignal,
): Promise<ListPage<T>> {
  const items: T[] = [];
  let after: string | undefined;
  do {
    const page = await client.get<ListPage<T>>(
      pathOf([plural], {
        partition,
        queue,
        since,
        after,
        limit: Math.min(pageSize, limit - items.length),
      }),
      signal,
    );
    for (const item of page.items) items.push(item);
    after = page.next;
  } while (after !== undefined && items.length < limit);
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
  const item = await resource.one(client, name, filter, signal);
  if (item !== undefined) return item;
  throw new CommandError(`there is no ${resource.kind} ${name} in partition ${filter.partition}`, {
    next: `list them: curtail get ${resource.plural}${placeOf(filter)}`,
  });
}
