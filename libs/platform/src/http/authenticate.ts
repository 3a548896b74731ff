import type { Request, RequestHandler, Response } from 'express';
import type { AccessControl, Known } from '../access/access-control.js';
import { actingAs } from '../access/acting.js';
import { may, mayAnywhere } from '../access/grants.js';
import type { TokenRefusal } from '../access/oidc.js';
import type { MatchedRoute } from '../access/table-of-rights.js';
import { type Problem, problem } from '../problems/problem.js';
import { sendProblem } from '../problems/send-problem.js';
import { placeInPath, rightsFor } from './authorize.js';
import { nameOf, notForTeams, notPermitted, setKnown } from './caller.js';
import { callerAddress } from './client.js';
import { isLinkedRequest, readLink, setLinked } from './linked-explanation.js';
import { isReading } from './origin-check.js';
import { isDescription, needsNoCredential } from './page-files.js';
import { RequestRates } from './rate-limit.js';
import { requestIdOf } from './request-id.js';

/**
 * The number of requests of one caller in a minute that are answered with the reason of the refusal; the others have
 * to wait.
 */
const explainedPerMinute = 600;

/** Requests with one link in a minute, by what it opens: an explanation may need plans to be made again. */
const linkedPerMinute = 20;

export interface Authentication {
  access: AccessControl;
  /** The token that signs the links of owners. */
  linkToken: string | undefined;
  /** Whether /docs, which browsers open without a token, needs none: it shows nothing of this Curtail. */
  opensDescription?: boolean;
  match: (method: string, path: string) => MatchedRoute | undefined;
  /** Counts refusals by address, and those of known callers by name, apart from all other requests. */
  rates?: RequestRates;
}

/**
 * Accepts only requests with a credential whose owner has the right that the route needs, or the one request that a link permits. It runs before
 * routing and before the rate limits, so that no route and no body is reached without it, and callers without it cannot use up the budget of
 * those who have it. It answers refusals immediately: a flood of them must cost as little as possible. The place that a right is needed for is
 * compared later (`RightsGuard`).
 */
export function requireCredential({
  access,
  linkToken,
  match,
  opensDescription = false,
  rates = new RequestRates(),
}: Authentication): RequestHandler {
  return (request, response, next) => {
    if (needsNoCredential(request) || (opensDescription && isDescription(request))) return next();
    const given = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
    const ofConnection = () => access.ofConnection(request.socket) ?? 'invalid';
    const goOn = (found: Known | TokenRefusal) => {
      if (typeof found === 'string') return refuse(request, response, given, found);
      const known = { ...found, actor: { ...addressOf(request), ...found.actor } };
      setKnown(response, known, given === undefined ? ofConnection : () => access.identify(given));
      const refusal = early(known, request);
      if (refusal !== undefined) {
        const tooMany = rates.take(nameOf(known.actor), explainedPerMinute);
        if (tooMany) return send(request, response, callerTooOften(known, tooMany.waitSeconds));
        return next(refusal);
      }
      actingAs(known.actor, next);
    };
    if (given === undefined) return goOn(ofConnection());
    if (linkToken !== undefined && isLinkedRequest(request)) {
      const linked = readLink(linkToken, given);
      if (linked !== undefined) {
        const often = rates.take(`link ${JSON.stringify(linked)}`, linkedPerMinute);
        if (often) return send(request, response, linkTooOften(often.waitSeconds));
        setLinked(response, linked);
        return next();
      }
    }
    const found = access.ofPassedOn(given, request) ?? access.identify(given);
    if (found instanceof Promise) found.then(goOn, next);
    else goOn(found);
  };

  function early(known: Known, { method, path, query }: Request) {
    const found = match(method, path);
    // No route: 404. What would change something is refused, whatever it may be.
    if (found === undefined) return isReading(method) ? undefined : notPermittedAtAll(known);
    const wanted = rightsFor(found.entry, query);
    if (wanted === undefined || wanted.length === 0) return undefined;
    if (isOfOwner(found, known, query)) return undefined;
    if (!mayAnywhere(known.grants, wanted)) return notPermitted(known, wanted, {});
    if (found.entry.place !== 'path') return undefined;
    const place = placeInPath(found.params);
    if (may(known.grants, wanted, place)) return undefined;
    return known.team === undefined ? notPermitted(known, wanted, place) : notForTeams(known.team);
  }

  function notPermittedAtAll(known: Known) {
    return mayAnywhere(known.grants, ['administer']) ? undefined : notPermitted(known, ['administer'], {});
  }

  function refuse(request: Request, response: Response, given: string | undefined, why: TokenRefusal): void {
    const tooMany = rates.take(callerAddress(request.ip), explainedPerMinute);
    if (tooMany) send(request, response, tooOften(tooMany.waitSeconds));
    else send(request, response, given === undefined ? tokenAbsent : refusals[why]);
  }
}

/** Whether an owner may read it as such: why own work was evicted. The guard compares whose it is. */
const isOfOwner = ({ key, entry }: MatchedRoute, { user }: Known, query: Request['query']): boolean =>
  user !== undefined &&
  (key === ownVictims ? query.user === user : entry.place === 'allocation' && entry.rights.includes('read'));
const ownVictims = 'GET /v1/victims';

/** The address of the client, an IPv4 address without its form in IPv6. */
function addressOf({ ip }: Request): { address?: string } {
  return ip === undefined ? {} : { address: ip.replace(/^::ffff:(?=\d+\.)/i, '') };
}

interface Refusal {
  problem: Problem;
  headers: Readonly<Record<string, string>>;
}

function send(request: Request, response: Response, { problem, headers }: Refusal): void {
  const requestId = requestIdOf(response);
  sendProblem(request, response, { ...problem, ...(requestId ? { requestId } : {}) }, headers);
}

const tokenAbsent = unauthorized('The request carries no token.');
const refusals: Record<TokenRefusal, Refusal> = {
  invalid: unauthorized('The token of the request is not one of this Curtail.'),
  expired: unauthorized(
    'The token of the request has expired.',
    'Get a new one from its issuer, or ask an administrator.',
  ),
  'issuer-away': {
    problem: problem({
      code: 'issuer-away',
      title: 'The issuer of tokens does not answer',
      status: 503,
      detail: 'Whether the token is valid is not known, because its issuer does not answer.',
      remedy: 'Send it again later, or use a token that Curtail itself knows, such as CURTAIL_TOKEN.',
      retryAfterSeconds: 5,
    }),
    headers: { 'Retry-After': '5' },
  },
};

function unauthorized(
  detail: string,
  remedy = 'Send "Authorization: Bearer <token>" (curtail --token, or a context of curtail config).',
): Refusal {
  return {
    problem: problem({ code: 'unauthorized', title: 'Token required', status: 401, detail, remedy }),
    headers: { 'WWW-Authenticate': 'Bearer realm="curtail"' },
  };
}

const tooOften = (waitSeconds: number) =>
  tooManyRefusals(
    'Too many requests without the token',
    `More than ${explainedPerMinute} requests a minute came from this address without the right token.`,
    `Wait ${waitSeconds} s, or send the token: requests with it are not limited.`,
    waitSeconds,
  );

function callerTooOften({ actor, team }: Known, waitSeconds: number): Refusal {
  if (team === undefined)
    return tooManyRefusals(
      'Too many requests that are not permitted',
      `More than ${explainedPerMinute} requests a minute of ${actor.subject} were not permitted.`,
      `Wait ${waitSeconds} s, or ask an administrator for the right.`,
      waitSeconds,
    );
  return tooManyRefusals(
    'Too many requests that are not for teams',
    `More than ${explainedPerMinute} requests a minute with the token of team ${team.name} were not for teams.`,
    `Wait ${waitSeconds} s, or ask an operator.`,
    waitSeconds,
  );
}

const linkTooOften = (waitSeconds: number) =>
  tooManyRefusals(
    'Too many requests with this link',
    `More than ${linkedPerMinute} requests a minute came with the same link.`,
    `Wait ${waitSeconds} s.`,
    waitSeconds,
  );

function tooManyRefusals(title: string, detail: string, remedy: string, waitSeconds: number): Refusal {
  return {
    problem: problem({
      code: 'too-many-refusals',
      title,
      status: 429,
      detail,
      remedy,
      retryAfterSeconds: waitSeconds,
    }),
    headers: { 'Retry-After': String(waitSeconds) },
  };
}
