import type { Request, RequestHandler } from 'express';
import { ProblemException } from '../problems/problem-exception.js';
import { isBrake } from './brake.js';
import { callerAddress } from './caller-address.js';
import { isReading } from './origin-check.js';
import { isProbe } from './probes.js';
import { RequestRates } from './request-rates.js';

export interface RateLimits {
  /** Requests of one address in a minute, of any kind; 0 = no limit. */
  rateLimitPerMinute: number;
  /** Of them, those that change something; 0 = no limit. */
  writeRateLimitPerMinute: number;
}

/** The limit of stopping requests, whatever the settings: more than any operator or script sends, and little work. */
const brakesPerMinute = 1200;

/**
 * Limits requests per address, before bodies are read. If there is a token, only requests that carry it get this far,
 * and so only they count. Stops, cancels and rejects have a count of their own, so that no other request can use up
 * their budget. The guard of @nestjs/throttler runs after both, counts each route separately, and omits requests that
 * no Nest route handles.
 */
export function limitRate(limits: RateLimits, rates = new RequestRates()): RequestHandler {
  const take = (request: Request) => {
    const caller = callerAddress(request.ip);
    if (isBrake(request)) return takeBrake(caller);
    const { rateLimitPerMinute: all, writeRateLimitPerMinute: writes } = limits;
    const refused = all > 0 ? rates.take(caller, all) : undefined;
    if (refused) return tooMany(`${all} requests`, 'CURTAIL_RATE_LIMIT_PER_MINUTE', refused.waitSeconds);
    if (isReading(request.method) || writes === 0) return undefined;
    const write = rates.take(`${caller} write`, writes);
    if (!write) return undefined;
    return tooMany(`${writes} changing requests`, 'CURTAIL_WRITE_RATE_LIMIT_PER_MINUTE', write.waitSeconds);
  };
  const takeBrake = (caller: string) => {
    const refused = rates.take(`${caller} brake`, brakesPerMinute);
    if (!refused) return undefined;
    return tooMany(`${brakesPerMinute} stops, cancels and rejects`, undefined, refused.waitSeconds);
  };
  return (request, _response, next) => {
    if (isProbe(request)) return next();
    next(take(request));
  };
}

function tooMany(limit: string, variable: string | undefined, waitSeconds: number): ProblemException {
  return new ProblemException(
    {
      code: 'too-many-requests',
      title: 'Too many requests',
      status: 429,
      detail: `More than ${limit} a minute came from this address.`,
      remedy: `Wait ${waitSeconds} s${variable === undefined ? '' : `, or raise ${variable}`}.`,
      retryAfterSeconds: waitSeconds,
    },
    { 'Retry-After': String(waitSeconds) },
  );
}
