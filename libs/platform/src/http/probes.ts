import type { Request } from 'express';

const probePaths = new Set(['/healthz', '/readyz']);

/** Probes come without credentials, as often as they like; they are told no more than yes or no, and what is down. */
export function isProbe({ method, path }: Pick<Request, 'method' | 'path'>): boolean {
  return (method === 'GET' || method === 'HEAD') && probePaths.has(path);
}
