/** A page of a list; `next` is present if there are more items. */
export interface ListPage<T> {
  items: T[];
  next?: string;
}
