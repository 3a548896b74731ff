/** A page of a list; `next` is there if there is more. */
export interface ListPage<T> {
  items: T[];
  next?: string;
}
