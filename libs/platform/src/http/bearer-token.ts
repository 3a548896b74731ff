import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { type Problem, ProblemException, problem } from '../problems/problem.js';
import { sendProblem } from '../problems/send-problem.js';
import { callerAddress } from './client.js';
import { isLinkedRequest, readLink, setLinked } from './linked-explanation.js';
import { isPageFile, isProbe, isPublicKeys } from './page-files.js';
import { requestIdOf } from './request-id.js';
import { RequestRates } from './request-rates.js';
import { callerTeam, isOpenToTeam, setTeam, type Team } from './teams.js';

/**
 * The number of requests of one address or team in a minute that are answered with the reason of the refusal; the others have
 * to wait.
 */
const explainedPerMinute = 600;

/** Requests with one link in a minute, by what it opens: an explanation may need plans to be made again. */
const linkedPerMinute = 20;

/**
 * Accepts only requests with the token, or with that of a team where teams have access, or the one request that a link permits. It runs before routing and before the rate limits, so that no route and no body
 * is reached without the token, and callers without it cannot use up the budget of those who have it. It answers
 * refusals immediately: a flood of them must cost as little as possible.
 *
 * @param rates counts refusals by address, and those of a team by team, apart from all other requests.
 */
export function requireToken(
  token: string,
  teams: readonly Team[] = [],
  rates = new RequestRates(),
): RequestHandler {
  const expected = digest(token);
  const teamWith = new Map(teams.map((team) => [team.sha256, team]));
  return (request, response, next) => {
    if (isProbe(request) || isPageFile(request) || isPublicKeys(request)) return next();
    const given = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
    // Digests have one length, and are compared in constant time.
    const sent = given === undefined ? undefined : digest(given);
    if (sent !== undefined && timingSafeEqual(sent, expected)) return next();
    const team = sent === undefined ? undefined : teamWith.get(sent.toString('hex'));
    if (team !== undefined) {
      setTeam(response, team);
      if (isOpenToTeam(team, request)) return next();
      const tooMany = rates.take(callerTeam(team), explainedPerMinute);
      if (tooMany) return refuse(request, response, teamTooOften(team, tooMany.waitSeconds));
      return next(notForTeams(team));
    }
    const linked = given !== undefined && isLinkedRequest(request) ? readLink(token, given) : undefined;
    if (linked !== undefined) {
      const often = rates.take(`link ${JSON.stringify(linked)}`, linkedPerMinute);
      if (often) return refuse(request, response, linkTooOften(often.waitSeconds));
      setLinked(response, linked);
      return next();
    }
    const tooMany = rates.take(callerAddress(request.ip), explainedPerMinute);
    if (tooMany) refuse(request, response, tooOften(tooMany.waitSeconds));
    else refuse(request, response, given === undefined ? tokenAbsent : tokenWrong);
  };
}

const notForTeams = ({ name, queue }: Team) =>
  new ProblemException({
    code: 'not-for-teams',
    title: 'The token of a team does not permit this',
    status: 403,
    detail: `The token of team ${name} may read everything, change the configuration of the queues below ${queue}, and answer for their allocations, but nothing else.`,
    remedy: 'Ask an operator.',
  });

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
      title: 'Token required',
      status: 401,
      detail,
      remedy: 'Send "Authorization: Bearer <token>" with the value of CURTAIL_TOKEN (curtail --token).',
    }),
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

const teamTooOften = ({ name }: Team, waitSeconds: number) =>
  tooManyRefusals(
    'Too many requests that are not for teams',
    `More than ${explainedPerMinute} requests a minute with the token of team ${name} were not for teams.`,
    `Wait ${waitSeconds} s, or ask an operator.`,
    waitSeconds,
  );

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
