import type { ListPath, Page, Query } from '#api-client';
import type { Client } from '../server/client.js';

/** The parameters of lists that commands set. */
export interface ListParameters {
  partition?: string;
  queue?: string;
  /** RFC 3339 */
  since?: string;
  /** RFC 3339 */
  until?: string;
  state?: string;
  policy?: string;
  type?: string;
  enforcement?: string;
  by?: string;
  user?: string;
  application?: string;
  limit?: number;
  after?: string;
}

/** A list of the API. */
export interface Listed<T> {
  /** The parameters that it has; the server refuses others. */
  takes: readonly (keyof ListParameters)[];
  /** One page; parameters that the list does not have are left out. */
  page(client: Client, parameters: ListParameters, signal?: AbortSignal): Promise<Page<T>>;
}

/** @param takes those parameters of the list that commands set. */
export function listedAt<P extends ListPath, T>(
  path: P,
  ...takes: (keyof Query<P> & keyof ListParameters)[]
): Listed<T> {
  return {
    takes,
    page: (client, parameters, signal) => {
      const query = Object.fromEntries(takes.map((name) => [name, parameters[name]]));
      // Of all lists the same way: the parameters are those of the path, by the type of `takes`.
      return client.get(path as '/v1/partitions/{partition}/configurations', {
        params: { path: { partition: parameters.partition ?? 'default' }, query },
        signal,
      }) as unknown as Promise<Page<T>>;
    },
  };
}
