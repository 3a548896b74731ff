import { normalizeIp, ThrottlerStorageService } from '@nestjs/throttler';
import type { Request, RequestHandler } from 'express';
import { ProblemException } from '../problems/problem-exception.js';
import { isReading } from './origin-check.js';
import { isProbe } from './probes.js';

export interface RateLimits {
  /** Requests of one address in a minute, of any kind; 0 = no limit. */
  rateLimitPerMinute: number;
  /** Of them, those that change something; 0 = no limit. */
  writeRateLimitPerMinute: number;
}
const minuteMs = 60_000;

/**
 * Counts requests per address over the last minute, before tokens are compared and bodies are read. The guard of the
 * throttler would count each route for itself, after the body, and leave out what is no route of Nest.
 */
export function limitRate(limits: RateLimits, hits: ThrottlerStorageService): RequestHandler {
  const check = async (request: Request): Promise<ProblemException | undefined> => {
    const address = normalizeIp(request.ip ?? 'unknown');
    const kinds: [kind: string, limit: number][] = [['all', limits.rateLimitPerMinute]];
    if (!isReading(request.method)) kinds.push(['write', limits.writeRateLimitPerMinute]);
    for (const [kind, limit] of kinds) {
      if (limit === 0) continue;
      const hit = await hits.increment(`${kind} ${address}`, minuteMs, limit, 0, kind);
      if (hit.isBlocked) return tooMany(limit, kind, hit.timeToBlockExpire);
    }
    return undefined;
  };
  return (request, _response, next) => {
    if (isProbe(request)) return next();
    check(request).then(next, next);
  };
}

function tooMany(limit: number, kind: string, afterSeconds: number): ProblemException {
  const waitSeconds = Math.max(1, afterSeconds);
  const variable = kind === 'all' ? 'CURTAIL_RATE_LIMIT_PER_MINUTE' : 'CURTAIL_WRITE_RATE_LIMIT_PER_MINUTE';
  return new ProblemException(
    {
      code: 'too-many-requests',
      title: 'Too many requests',
      status: 429,
      detail: `More than ${limit} ${kind === 'all' ? '' : 'changing '}requests a minute came from this address.`,
      remedy: `Wait ${waitSeconds} s, or raise ${variable}.`,
      retryAfterSeconds: waitSeconds,
    },
    { 'Retry-After': String(waitSeconds) },
  );
}
