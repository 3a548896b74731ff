import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import type { Request, RequestHandler, Response } from 'express';
import { ProblemException } from '../problems/problem-exception.js';
import { requireToken } from './bearer-token.js';
import { limitRate } from './rate-limit.js';
import { RequestRates } from './request-rates.js';

/** All within one minute. */
const rates = () => new RequestRates(() => 0);

/** The status with which a handler refuses a request, or 0 if it accepts it. */
function statusOf(handler: RequestHandler, sent: { method: string; path: string }): number {
  const incoming = new IncomingMessage(new Socket());
  const request = Object.assign(incoming, { ip: '192.0.2.1', complete: true }, sent);
  const response = new ServerResponse(request);
  let passed: number | undefined;
  handler(request as unknown as Request, response as unknown as Response, (error?: unknown) => {
    passed = error instanceof ProblemException ? error.getStatus() : 0;
  });
  return passed ?? response.statusCode;
}

/** The number of requests answered with each status. */
function countsOf(handler: RequestHandler, times: number, sent: { method: string; path: string }) {
  const counts: Record<number, number> = {};
  for (let n = 0; n < times; n++) {
    const status = statusOf(handler, sent);
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

describe('budgets within a minute', () => {
  it('bound stops, cancels and rejects together, apart from all other requests', () => {
    const limit = limitRate({ rateLimitPerMinute: 1, writeRateLimitPerMinute: 1 }, rates());
    expect(countsOf(limit, 3, { method: 'GET', path: '/v1/queues' })).toEqual({ 0: 1, 429: 2 });
    expect(countsOf(limit, 1000, { method: 'POST', path: '/v1/kill-switch' })).toEqual({ 0: 1000 });
    expect(countsOf(limit, 300, { method: 'POST', path: '/v1/enforcements/e-1/cancel' })).toEqual({
      0: 200,
      429: 100,
    });
  });

  it('name the token a number of times, and then request a pause', () => {
    const guard = requireToken('correct-horse-battery', rates());
    expect(countsOf(guard, 605, { method: 'GET', path: '/v1/queues' })).toEqual({ 401: 600, 429: 5 });
  });
});
