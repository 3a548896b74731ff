import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { type Problem, problem } from '../problems/problem.js';
import { sendProblem } from '../problems/send-problem.js';
import { callerAddress } from './caller-address.js';
import { isProbe } from './probes.js';
import { requestIdOf } from './request-id.js';
import { RequestRates } from './request-rates.js';

/**
 * The number of requests of one address in a minute that are answered with the reason of the refusal; the others have
 * to wait.
 */
const explainedPerMinute = 600;

/**
 * Accepts only requests with the token. It runs before routing and before the rate limits, so that no route and no body
 * is reached without the token, and callers without it cannot use up the budget of those who have it. It answers
 * refusals immediately: a flood of them must cost as little as possible.
 *
 * @param rates counts refusals by address, apart from all other requests.
 */
export function requireToken(token: string, rates = new RequestRates()): RequestHandler {
  const expected = digest(token);
  return (request, response, next) => {
    if (isProbe(request)) return next();
    const given = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
    // Digests have one length, and are compared in constant time.
    if (given !== undefined && timingSafeEqual(digest(given), expected)) return next();
    const tooMany = rates.take(callerAddress(request.ip), explainedPerMinute);
    if (tooMany) refuse(request, response, tooOften(tooMany.waitSeconds));
    else refuse(request, response, given === undefined ? tokenAbsent : tokenWrong);
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

interface Refusal {
  problem: Problem;
  headers: Readonly<Record<string, string>>;
}

function refuse(request: Request, response: Response, { problem, headers }: Refusal): void {
  const requestId = requestIdOf(response);
  sendProblem(request, response, { ...problem, ...(requestId ? { requestId } : {}) }, headers);
}

const tokenAbsent = unauthorized('The request carries no token.');
const tokenWrong = unauthorized('The token of the request is not the one of this Curtail.');

function unauthorized(detail: string): Refusal {
  return {
    problem: problem({
      code: 'unauthorized',
      title: 'Token needed',
      status: 401,
      detail,
      remedy: 'Send "Authorization: Bearer <token>" with the value of CURTAIL_TOKEN (curtail --token).',
    }),
    headers: { 'WWW-Authenticate': 'Bearer realm="curtail"' },
  };
}

function tooOften(waitSeconds: number): Refusal {
  return {
    problem: problem({
      code: 'too-many-refusals',
      title: 'Too many requests without the token',
      status: 429,
      detail: `More than ${explainedPerMinute} requests a minute came from this address without the right token.`,
      remedy: `Wait ${waitSeconds} s, or send the token: requests that carry it are not held up.`,
      retryAfterSeconds: waitSeconds,
    }),
    headers: { 'Retry-After': String(waitSeconds) },
  };
}
