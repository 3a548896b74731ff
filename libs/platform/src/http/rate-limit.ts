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

/** Of the brake, whatever the settings are: more than any operator or script sends, and little work. */
const brakesPerMinute = 1200;

/**
 * Limits requests per address, before bodies are read. Where there is a token, only requests that carry it come so far, and
 * so only they count. Stops, cancels and rejects do not count among the others: no one can use up what they need. The guard of @nestjs/throttler comes after
 * both, counts each route for itself and leaves out what is no route of Nest.
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
