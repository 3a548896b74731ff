import type { Request } from 'express';

/** The longest body of a command, of an answer of an owner, and of every other route that has no long ones. */
export const shortBodyBytes = 64 * 1024;

/** Configurations are texts in the format of their scheduler, or JSON; every other body is JSON alone. */
const configurations = /^\/v1\/partitions\/[^/]+\/(?:queues\/[^/]+\/)?config\/?$/i;
const whatIf = /^\/v1\/what-if\/?$/i;

/** Routes whose bodies may be as long as the settings permit: configurations, and snapshots of a cluster. */
const long: Readonly<Record<string, readonly RegExp[]>> = {
  PUT: [configurations],
  POST: [whatIf, /^\/v1\/plans\/preview\/?$/i, /^\/v1\/partitions\/[^/]+\/simulated\/scenario\/?$/i],
};

/** More values of a comparison than any has: its configurations are texts, however long. Each is checked where stops are answered. */
const mostWhatIfValues = 100_000;

type Addressed = Pick<Request, 'method' | 'path'>;

/** Whether the body of a request may be long. */
export const mayBeLong = ({ method, path }: Addressed): boolean =>
  long[method]?.some((route) => route.test(path)) ?? false;

/** Whether the body of a request may be a text that is not JSON. */
export const takesText = ({ method, path }: Addressed): boolean =>
  method === 'PUT' && configurations.test(path);

/** How many values the JSON of a request may have; undefined: as many as the longest body may hold. */
export const mostValues = ({ method, path }: Addressed): number | undefined =>
  method === 'POST' && whatIf.test(path) ? mostWhatIfValues : undefined;
