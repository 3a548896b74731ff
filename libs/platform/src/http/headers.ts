import type { RequestHandler } from 'express';
import { ProblemException } from '../problems/problem.js';

/** Refuses a request with too many headers. Node alone would drop the surplus silently. */
export function limitHeaderCount(most: number): RequestHandler {
  return (request, _response, next) => {
    const count = request.rawHeaders.length / 2;
    if (count <= most) return next();
    next(
      new ProblemException({
        code: 'too-many-headers',
        title: 'Too many headers',
        status: 431,
        detail: `The request has more than ${most} headers.`,
        remedy: 'Send fewer headers.',
      }),
    );
  };
}

const policy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Forbids browsers to guess content types, to frame answers, or to load anything from elsewhere. */
export function securityHeaders(): RequestHandler {
  return (_request, response, next) => {
    response.setHeader('Content-Security-Policy', policy);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('X-Frame-Options', 'DENY');
    response.setHeader('Referrer-Policy', 'no-referrer');
    next();
  };
}
