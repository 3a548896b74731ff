import type { Request, RequestHandler, Response } from 'express';
import { ProblemException } from '../problems/problem.js';
import { isShared, knownOf, nameOf } from './caller.js';
import { callerAddress } from './client.js';
import { isReading } from './origin-check.js';
import { isPageFile, isProbe, isPublic } from './page-files.js';

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
    if (isPageFile(request) || isPublic(request)) return takePage({ name, from });
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

/** Whoever has a credential of their own is one caller from all addresses; those with the shared one, and the bearers of links, share the budget of their address. */
function namedCaller({ ip }: Request, response: Response): Named {
  const known = knownOf(response);
  const byAddress = { name: callerAddress(ip), from: 'from this address' };
  if (known === undefined || isShared(known)) return byAddress;
  const { actor, team } = known;
  return {
    name: nameOf(actor),
    from: team === undefined ? `of ${actor.subject}` : `with the token of team ${team.name}`,
  };
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

const windowMs = 60_000;
/** The maximum number of callers that are counted; beyond it the least recent ones are dropped. */
const mostCallers = 20_000;

interface Counts {
  window: number;
  current: number;
  previous: number;
}

/**
 * Counts requests per caller over the last minute in constant time and memory: the count of the previous window is
 * weighted by its overlap with the last minute. A refused request does not count, so that waiting always helps: the libraries
 * for rate limits count refused requests too, or in fixed windows.
 */
export class RequestRates {
  /** In the order of the last request. */
  private readonly callers = new Map<string, Counts>();

  constructor(private readonly nowMs: () => number = Date.now) {}

  /** Counts one request, or returns the seconds until the next one is accepted if `limit` per minute is reached. */
  take(caller: string, limit: number): { waitSeconds: number } | undefined {
    const now = this.nowMs();
    const counts = this.countsOf(caller, Math.floor(now / windowMs));
    const passedMs = now % windowMs;
    const reaching = counts.previous * (1 - passedMs / windowMs);
    if (reaching + counts.current + 1 > limit) {
      // Either the weight of the previous window falls far enough within this one, or this window has to end.
      const tooMuch = reaching + counts.current + 1 - limit;
      const fallsMs = counts.current < limit ? (tooMuch / counts.previous) * windowMs : windowMs - passedMs;
      return { waitSeconds: Math.max(1, Math.ceil(fallsMs / 1000)) };
    }
    counts.current++;
    return undefined;
  }

  private countsOf(caller: string, window: number): Counts {
    const known = this.callers.get(caller);
    const counts = known ?? { window, current: 0, previous: 0 };
    if (counts.window !== window) {
      counts.previous = counts.window === window - 1 ? counts.current : 0;
      counts.current = 0;
      counts.window = window;
    }
    if (known) this.callers.delete(caller);
    else if (this.callers.size >= mostCallers) this.forgetQuietest();
    this.callers.set(caller, counts);
    return counts;
  }

  private forgetQuietest(): void {
    const first = this.callers.keys().next();
    if (!first.done) this.callers.delete(first.value);
  }
}
