import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PlayedManager } from '../../../../test/support/played-manager.js';
import { yarnChecks } from './yarn-doctor.js';

/** What answers in place of a ResourceManager, the first problem then, and the check that has it. */
const bad: [what: string, path: string, status: number, type: string, body: string, problem: RegExp][] = [
  [
    'the page of a proxy',
    '/info',
    200,
    'text/html',
    '<title>Squid</title>',
    /^ResourceManager: URL\S+ answers 200 with a page of HTML: "Squid".*with no proxy in between/,
  ],
  [
    'a login page',
    '/info',
    302,
    'text/html',
    '',
    /^ResourceManager: URL\S+ redirects to https:\/\/sso\.example\/login, as login pages/,
  ],
  [
    'a refusal',
    '/info',
    403,
    'application/json',
    '{"RemoteException":{"message":"no"}}',
    /^ResourceManager: GET URL\S+ answers 403 to the user curtail: "no".*yarn\.admin\.acl/,
  ],
  [
    'a demand for Kerberos',
    '/info',
    401,
    'text/html',
    '',
    /^ResourceManager: GET URL\S+ answers 401: .*CURTAIL_YARN_TOKEN_FILE/,
  ],
  [
    'another server',
    '/info',
    200,
    'application/json',
    '{"hello":1}',
    /^ResourceManager: URL answers otherwise than a ResourceManager: .*clusterInfo/,
  ],
  [
    'a caller without rights',
    '/scheduler-conf/version',
    403,
    'application/json',
    '{}',
    /^rights: curtail is no administrator of YARN.*\(URL answers 403\)/,
  ],
  [
    'no nodes',
    '/nodes',
    200,
    'application/json',
    '{"nodes":null}',
    /^nodes: none is part of the cluster of URL: /,
  ],
  [
    'no list of nodes',
    '/nodes',
    200,
    'application/json',
    '{}',
    /^nodes: URL answers otherwise than a ResourceManager: .*nodes/,
  ],
];

describe('doctor of YARN', () => {
  let manager: PlayedManager;
  beforeEach(async () => {
    manager = await PlayedManager.start();
  });
  afterEach(() => manager.stop());

  const problems = async (yarnUrl = manager.url) => {
    const settings = {
      yarnUrl,
      yarnUser: 'curtail',
      yarnSettings: undefined,
      yarnTokenFile: undefined,
      yarnCa: undefined,
    };
    return (await yarnChecks(settings))
      .filter(({ status }) => status === 'problem')
      .map(({ name, message }) => `${name}: ${message.replaceAll(yarnUrl, 'URL')}`);
  };

  it('has no problem with a manager', async () => {
    expect(await problems()).toEqual([]);
  });

  it.each(bad)(
    'names the address, what came and the remedy for %s',
    async (_what, path, status, type, body, problem) => {
      manager.instead.set(path, (_, response) => {
        const headers = {
          'content-type': type,
          ...(status === 302 && { location: 'https://sso.example/login' }),
        };
        response.writeHead(status, headers).end(body);
      });
      expect((await problems())[0]).toMatch(problem);
    },
  );

  it('names an address at which nothing listens', async () => {
    const { url } = manager;
    await manager.stop();
    expect((await problems(url))[0]).toMatch(
      /^ResourceManager: .*URL cannot be reached: ECONNREFUSED.*CURTAIL_YARN_URL/,
    );
  });
});
