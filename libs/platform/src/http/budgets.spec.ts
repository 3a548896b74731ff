import { createHash } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import type { Request, RequestHandler, Response } from 'express';
import { AccessControl } from '../access/access-control.js';
import { grantAt, rightsOfRole } from '../access/policy-file.js';
import { matcherOf, routes } from '../access/table-of-rights.js';
import { createLogger } from '../logging/create-logger.js';
import { ProblemException } from '../problems/problem.js';
import { settingsForTest } from '../testing/sample-app.js';
import { fileOfTeams } from '../testing/teams-file.js';
import { requireCredential } from './authenticate.js';
import { setKnown } from './caller.js';
import { limitRate, RequestRates } from './rate-limit.js';
import type { Team } from './teams.js';

/** All within one minute. */
const rates = () => new RequestRates(() => 0);

interface Sent {
  method: string;
  path: string;
  ip?: string;
  token?: string;
  team?: Team;
}

/** The status with which a handler refuses a request, or 0 if it accepts it. */
function statusOf(handler: RequestHandler, { team, token, ...sent }: Sent): number {
  const incoming = new IncomingMessage(new Socket());
  if (token !== undefined) incoming.headers.authorization = `Bearer ${token}`;
  const request = Object.assign(incoming, { ip: '192.0.2.1', complete: true, query: {} }, sent);
  const response = Object.assign(new ServerResponse(request), { locals: {} });
  if (team !== undefined)
    setKnown(response, {
      actor: { issuer: 'teams', subject: team.name },
      team,
      grants: [grantAt(rightsOfRole(['submitter']), team)],
    });
  let passed: number | undefined;
  handler(request as unknown as Request, response as unknown as Response, (error?: unknown) => {
    passed = error instanceof ProblemException ? error.problem.status : 0;
  });
  return passed ?? response.statusCode;
}

/** The number of requests answered with each status. */
function countsOf(handler: RequestHandler, times: number, sent: Sent) {
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

  it.each(['/', '/ui', '/ui/', '/ui/assets/main.js'])(
    'of files of the page, which need no token, take nothing from others (%s)',
    (path) => {
      const limit = limitRate({ rateLimitPerMinute: 3, writeRateLimitPerMinute: 0 }, rates());
      expect(countsOf(limit, 5, { method: 'HEAD', path })).toEqual({ 0: 3, 429: 2 });
      expect(countsOf(limit, 4, { method: 'GET', path: '/v1/status' })).toEqual({ 0: 3, 429: 1 });
    },
  );

  it('name the token a number of times, and then request a pause', () => {
    const guard = guardOf([]);
    expect(countsOf(guard, 605, { method: 'GET', path: '/v1/queues' })).toEqual({ 401: 600, 429: 5 });
  });

  it('name what is not for teams a number of times for each team, from all its addresses', () => {
    const guard = guardOf([research, web]);
    const stop = { method: 'POST', path: '/v1/kill-switch' };
    const ofResearch = { ...stop, token: 'token-of-research' };
    expect(countsOf(guard, 400, ofResearch)).toEqual({ 403: 400 });
    expect(countsOf(guard, 205, { ...ofResearch, ip: '192.0.2.2' })).toEqual({ 403: 200, 429: 5 });
    expect(statusOf(guard, { ...ofResearch, method: 'GET' })).toBe(0);
    expect(statusOf(guard, { ...stop, token: 'token-of-web' })).toBe(403);
    expect(statusOf(guard, stop)).toBe(401);
    expect(statusOf(guard, { ...stop, token: 'correct-horse-battery' })).toBe(0);
  });

  it('are those of a team for all its addresses, and take nothing from others at one address', () => {
    const limit = limitRate({ rateLimitPerMinute: 3, writeRateLimitPerMinute: 0 }, rates());
    const read = { method: 'GET', path: '/v1/queues' };
    expect(countsOf(limit, 2, { ...read, team: research })).toEqual({ 0: 2 });
    expect(countsOf(limit, 3, { ...read, team: research, ip: '192.0.2.2' })).toEqual({ 0: 1, 429: 2 });
    expect(countsOf(limit, 4, { ...read, team: web })).toEqual({ 0: 3, 429: 1 });
    expect(countsOf(limit, 3, read)).toEqual({ 0: 3 });
    const stops = { method: 'GET', path: '/v1/kill-switch' };
    expect(countsOf(limit, 1300, { ...stops, team: research })).toEqual({ 0: 1200, 429: 100 });
    expect(statusOf(limit, stops)).toBe(0);
  });
});

const teamOf = (name: string): Team => ({
  name,
  partition: 'default',
  queue: `root.${name}`,
  sha256: createHash('sha256').update(`token-of-${name}`).digest('hex'),
});
const guardOf = (teams: Team[]) =>
  requireCredential({
    access: new AccessControl(
      settingsForTest({ token: 'correct-horse-battery', teamsFile: fileOfTeams(teams) }),
      createLogger(settingsForTest({ logLevel: 'silent' })),
    ),
    linkToken: undefined,
    match: matcherOf(routes),
    rates: rates(),
  });
const [research, web] = [teamOf('research'), teamOf('web')];
