import type { Request } from 'express';

/** Routes that stop evictions, and that show whether they are stopped. */
const brakes: Readonly<Record<string, RegExp>> = {
  GET: /^\/v1\/(?:kill-switch|freezes)\/?$/i,
  HEAD: /^\/v1\/(?:kill-switch|freezes)\/?$/i,
  POST: /^\/v1\/(?:kill-switch|freezes|enforcements\/[^/]+\/(?:cancel|reject)|partitions\/[^/]+\/configurations\/[^/]+\/reject)\/?$/i,
  DELETE: /^\/v1\/(?:kill-switch|freezes)\/?$/i,
};

/** Whether a request stops, resumes, freezes, unfreezes, cancels or rejects, or lists the kill switches or freezes. Such requests have a budget of their own. */
export function isBrake({ method, path }: Pick<Request, 'method' | 'path'>): boolean {
  return brakes[method]?.test(path) ?? false;
}
