import type { RequestHandler } from 'express';
import { ProblemException } from '../problems/problem-exception.js';

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
