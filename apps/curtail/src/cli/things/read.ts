import type { ListPage } from '@curtail/contracts/api';
import { CommandError } from '../errors.js';
import { pathOf } from '../server/address.js';
import type { Client } from '../server/client.js';
import { placeOf, type Thing, type Wish } from './thing.js';

/** What one request brings at most. */
const pageSize = 1000;

/** A list, page by page up to the limit; `next` stays where there is more. */
export async function readList<T>(
  client: Client,
  { plural }: Pick<Thing<T>, 'plural'>,
  { partition, queue, since, limit }: Wish,
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

/** @throws CommandError if there is none of that name, or such things have no names. */
export async function readOne<T>(
  client: Client,
  thing: Thing<T>,
  name: string,
  wish: Wish,
  signal?: AbortSignal,
): Promise<T> {
  if (!thing.one) {
    throw new CommandError(
      `${thing.plural} have no names: list them, with --queue${thing.dated ? ' or --since' : ''} to narrow it down`,
    );
  }
  const item = await thing.one(client, name, wish, signal);
  if (item !== undefined) return item;
  throw new CommandError(`there is no ${thing.kind} ${name} in partition ${wish.partition}`, {
    next: `see what there is: curtail get ${thing.plural}${placeOf(wish)}`,
  });
}
