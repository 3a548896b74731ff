/** A page of a list; `next` is present if there are more items. */
export interface Page<T> {
  items: T[];
  next?: string;
}

/**
 * The pages of a list, one after the other, until the last one or until its caller stops.
 *
 * @param read a page; `after` is the `next` of the previous page, undefined for the first one.
 */
export async function* pagesOf<P extends { next?: string }>(
  read: (after: string | undefined) => Promise<P>,
): AsyncGenerator<P, void> {
  let after: string | undefined;
  do {
    const page = await read(after);
    yield page;
    after = page.next;
  } while (after !== undefined);
}
