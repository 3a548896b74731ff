import type { Request } from 'express';

/** The longest body of a command, of an answer of an owner, and of every other route that has no long ones. */
export const shortBodyBytes = 64 * 1024;

/** Routes whose bodies may be as long as the settings permit: configurations, and snapshots of a cluster. */
const long: Readonly<Record<string, RegExp>> = {
  PUT: /^\/v1\/partitions\/[^/]+\/(?:queues\/[^/]+\/)?config\/?$/i,
  POST: /^\/v1\/(?:what-if|plans\/preview|partitions\/[^/]+\/simulated\/scenario)\/?$/i,
};

/** Whether the body of a request may be long. */
export const mayBeLong = ({ method, path }: Pick<Request, 'method' | 'path'>): boolean =>
  long[method]?.test(path) ?? false;
