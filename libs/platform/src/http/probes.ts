import type { Request } from 'express';

const probePaths = new Set(['/healthz', '/readyz']);

/** Probes need no credentials and are not limited; the answer is only yes or no, and the servers that are down. */
export function isProbe({ method, path }: Pick<Request, 'method' | 'path'>): boolean {
  return (method === 'GET' || method === 'HEAD') && probePaths.has(path);
}
