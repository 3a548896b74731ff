import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';

const header = 'x-request-id';

/** Gives every request an id: the caller's, if it is a harmless one, or a new one. The answer carries it. */
export function nameRequests(): RequestHandler {
  return (request, response, next) => {
    const given = request.headers[header];
    const usable = typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given);
    response.setHeader(header, usable ? given : randomUUID());
    next();
  };
}

export function requestIdOf(response: ServerResponse): string | undefined {
  const id = response.getHeader(header);
  return typeof id === 'string' ? id : undefined;
}
