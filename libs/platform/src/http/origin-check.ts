import type { Request, RequestHandler } from 'express';
import { ProblemException } from '../problems/problem.js';
import { isLoopback } from './loopback.js';

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

/**
 * On loopback without a token the Host header must name this machine. Otherwise a page whose name was redirected to
 * 127.0.0.1 after it was loaded (DNS rebinding) could access Curtail as if it were its own server.
 */
export function requireLoopbackHost(): RequestHandler {
  return (request, _response, next) => {
    if (isLoopback(hostName(request.headers.host ?? ''))) return next();
    next(
      new ProblemException({
        code: 'host-not-allowed',
        title: 'Unknown host',
        status: 403,
        detail: 'Without a token Curtail answers only to the names localhost, 127.0.0.1 and [::1].',
        remedy: 'Use one of these names, or set CURTAIL_TOKEN and send it with every request.',
      }),
    );
  };
}

/** The host of a Host header, without its port. */
function hostName(header: string): string {
  return header.replace(/:\d*$/, '');
}
