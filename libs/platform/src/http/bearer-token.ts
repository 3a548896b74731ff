import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';
import { ProblemException } from '../problems/problem-exception.js';
import { isProbe } from './probes.js';

/**
 * Lets a request pass that carries the token. It stands before routing, so that no route, known or not, and no body is
 * reached without it.
 */
export function requireToken(token: string): RequestHandler {
  const expected = digest(token);
  return (request, _response, next) => {
    if (isProbe(request)) return next();
    const given = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
    // Digests have one length, and comparing them takes one time, whatever was given.
    if (given !== undefined && timingSafeEqual(digest(given), expected)) return next();
    next(unauthorized(given === undefined));
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function unauthorized(absent: boolean): ProblemException {
  return new ProblemException(
    {
      code: 'unauthorized',
      title: 'Token needed',
      status: 401,
      detail: absent
        ? 'The request carries no token.'
        : 'The token of the request is not the one of this Curtail.',
      remedy: 'Send "Authorization: Bearer <token>" with the value of CURTAIL_TOKEN (curtail --token).',
    },
    { 'WWW-Authenticate': 'Bearer realm="curtail"' },
  );
}
