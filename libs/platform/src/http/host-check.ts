import type { RequestHandler } from 'express';
import { ProblemException } from '../problems/problem-exception.js';
import { isLoopback } from './listen-address.js';

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
