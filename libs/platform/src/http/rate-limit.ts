import type { Request, RequestHandler, Response } from 'express';
import { ProblemException } from '../problems/problem.js';
import { callerAddress } from './client.js';
import { isReading } from './origin-check.js';
import { isPageFile, isProbe, isPublicKeys } from './page-files.js';
import { RequestRates } from './request-rates.js';
import { callerTeam, teamOf } from './teams.js';

export interface RateLimits {
  /** Requests of one address or team in a minute, of any kind; 0 = no limit. */
  rateLimitPerMinute: number;
  /** Of them, those that change something; 0 = no limit, as where there is none for all. */
  writeRateLimitPerMinute: number;
}

/** The limit of stopping requests, whatever the settings: more than any operator or script sends, and little work. */
const brakesPerMinute = 1200;

/**
 * Limits requests per address, those with the token of a team per team, before bodies are read. If there is a token, only requests
 * that carry one get this far, and so only they count; files of the page, which need none, have a count of their own. Stops, cancels and rejects have a count of their own, so that no other request can use up
 * their budget. The guard of @nestjs/throttler runs after both, counts each route separately, and omits requests that
 * no Nest route handles.
 */
export function limitRate(limits: RateLimits, rates = new RequestRates()): RequestHandler {
  const take = (request: Request, { name, from }: Named) => {
    if (isBrake(request)) return takeBrake({ name, from });
    // They need no token: whoever reads them must not use up the budget of those who have it.
    if (isPageFile(request) || isPublicKeys(request)) return takePage({ name, from });
    const { rateLimitPerMinute: all, writeRateLimitPerMinute: writes } = limits;
    const refused = all > 0 ? rates.take(name, all) : undefined;
    if (refused)
      return tooMany(`${all} requests`, from, 'CURTAIL_RATE_LIMIT_PER_MINUTE', refused.waitSeconds);
    if (isReading(request.method) || writes === 0 || all === 0) return undefined;
    const write = rates.take(`${name} write`, writes);
    if (!write) return undefined;
    return tooMany(`${writes} changing requests`, from, undefined, write.waitSeconds);
  };
  const takePage = ({ name, from }: Named) => {
    const all = limits.rateLimitPerMinute;
    const refused = all > 0 ? rates.take(`${name} page`, all) : undefined;
    if (!refused) return undefined;
    return tooMany(
      `${all} requests for files of the page`,
      from,
      'CURTAIL_RATE_LIMIT_PER_MINUTE',
      refused.waitSeconds,
    );
  };
  const takeBrake = ({ name, from }: Named) => {
    const refused = rates.take(`${name} brake`, brakesPerMinute);
    if (!refused) return undefined;
    return tooMany(`${brakesPerMinute} stops, cancels and rejects`, from, undefined, refused.waitSeconds);
  };
  return (request, response, next) => {
    if (isProbe(request)) return next();
    next(take(request, namedCaller(request, response)));
  };
}

/** Who shares a budget, and how refusals name it. */
interface Named {
  name: string;
  from: string;
}

/** The bearer of a link shares the budget of its address. */
function namedCaller({ ip }: Request, response: Response): Named {
  const team = teamOf(response);
  return team === undefined
    ? { name: callerAddress(ip), from: 'from this address' }
    : { name: callerTeam(team), from: `with the token of team ${team.name}` };
}

function tooMany(
  limit: string,
  from: string,
  variable: string | undefined,
  waitSeconds: number,
): ProblemException {
  return new ProblemException(
    {
      code: 'too-many-requests',
      title: 'Too many requests',
      status: 429,
      detail: `More than ${limit} a minute came ${from}.`,
      remedy: `Wait ${waitSeconds} s${variable === undefined ? '' : `, or raise ${variable}`}.`,
      retryAfterSeconds: waitSeconds,
    },
    { 'Retry-After': String(waitSeconds) },
  );
}

/** Routes that stop evictions, and that show whether they are stopped. */
const brakes: Readonly<Record<string, RegExp>> = {
  GET: /^\/v1\/(?:kill-switch|freezes)\/?$/i,
  HEAD: /^\/v1\/(?:kill-switch|freezes)\/?$/i,
  POST: /^\/v1\/(?:kill-switch|freezes|enforcements\/[^/]+\/(?:cancel|reject)|partitions\/[^/]+\/configurations\/[^/]+\/reject)\/?$/i,
  DELETE: /^\/v1\/(?:kill-switch|freezes)\/?$/i,
};

/** Whether a request stops, resumes, freezes, unfreezes, cancels or rejects, or lists the kill switches or freezes. Such requests have a budget of their own. */
function isBrake({ method, path }: Pick<Request, 'method' | 'path'>): boolean {
  return brakes[method]?.test(path) ?? false;
}
