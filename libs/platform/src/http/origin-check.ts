import type { Request, RequestHandler } from 'express';
import { ProblemException } from '../problems/problem-exception.js';

const reading = new Set(['GET', 'HEAD', 'OPTIONS']);

export function isReading(method: string): boolean {
  return reading.has(method);
}

/**
 * Refuses requests that a browser sends for the page of another site. Programs other than browsers send neither header
 * and pass. Behind a proxy that changes the host, `publicOrigin` is the origin that browsers see.
 */
export function refuseCrossSiteWrites(publicOrigin: string | undefined): RequestHandler {
  const allowed = publicOrigin === undefined ? undefined : new URL(publicOrigin).origin;
  return (request, _response, next) => {
    if (isReading(request.method) || isSameSite(request, allowed)) return next();
    next(
      new ProblemException({
        code: 'cross-site',
        title: 'Cross-site request',
        status: 403,
        detail: 'A page of another site may not change anything here.',
        remedy:
          'Use the page of Curtail itself; if a proxy is in front of it, set CURTAIL_PUBLIC_ORIGIN to the origin ' +
          'that browsers see.',
      }),
    );
  };
}

function isSameSite(request: Request, allowed: string | undefined): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined) {
    const site = request.headers['sec-fetch-site'];
    return site === undefined || site === 'same-origin' || site === 'none';
  }
  if (!URL.canParse(origin)) return false;
  const { origin: from, protocol, host: fromHost } = new URL(origin);
  if (from === allowed) return true;
  const own = `${protocol}//${host}`;
  return URL.canParse(own) && new URL(own).host === fromHost;
}
