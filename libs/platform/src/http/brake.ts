import type { Request } from 'express';

/** Routes that stop evictions, and that show whether they are stopped. */
const brakes: Readonly<Record<string, RegExp>> = {
  GET: /^\/v1\/kill-switch\/?$/i,
  HEAD: /^\/v1\/kill-switch\/?$/i,
  POST: /^\/v1\/(?:kill-switch|enforcements\/[^/]+\/(?:cancel|reject))\/?$/i,
  DELETE: /^\/v1\/kill-switch\/?$/i,
};

/** Whether a request stops, resumes, cancels or rejects, or lists the kill switches. Such requests have a budget of their own. */
export function isBrake({ method, path }: Pick<Request, 'method' | 'path'>): boolean {
  return brakes[method]?.test(path) ?? false;
}
