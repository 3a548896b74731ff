import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PlayedManager } from '../../../../test/support/played-manager.js';
import { curtail } from '../../testing/test-terminal.js';

/** What comes in place of an answer of a ResourceManager, and what the start says to it. */
const wrong: [name: string, path: string, status: number, type: string, text: string, message: RegExp][] = [
  [
    'a page of a proxy',
    '/info',
    200,
    'text/html',
    '<title>Proxy</title>',
    /page of HTML: "Proxy".*no proxy in between/s,
  ],
  ['a login page', '/info', 302, 'text/html', '', /redirects to http:\/\/login\.example\/, as login pages/],
  ['another service', '/info', 200, 'application/json', '{"ok":true}', /is no ResourceManager.*clusterInfo/s],
  [
    'a refusal',
    '/scheduler-conf/version',
    403,
    'application/json',
    '{"RemoteException":{"message":"no admin"}}',
    /answers 403 to the user bob: "no admin"\. Name this user in yarn\.admin\.acl/,
  ],
];

describe('curtail start --cluster yarn', () => {
  let folder: string;
  let manager: PlayedManager;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'curtail-start-'));
    manager = await PlayedManager.start();
  });
  afterEach(async () => {
    await manager.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const start = async (url: string | undefined) => {
    const data = join(folder, 'data');
    const { status, stderr } = await curtail([
      ...['start', '--cluster', 'yarn', '--port', '0', '--data', data, '--yarn-user', 'bob'],
      ...(url === undefined ? [] : ['--yarn-url', url]),
    ]);
    return { status, stderr, hasDatabase: existsSync(data) };
  };

  it.each(wrong)(
    'refuses %s before it makes a database',
    async (_name, path, status, type, text, message) => {
      manager.instead.set(path, (_request, response) => {
        response.writeHead(status, { 'content-type': type, location: 'http://login.example/' }).end(text);
      });
      const refused = await start(manager.url);
      expect(refused).toMatchObject({ status: 2, hasDatabase: false });
      expect(refused.stderr).toContain('--yarn-url');
      expect(refused.stderr).toContain(manager.url);
      expect(refused.stderr).toMatch(message);
    },
  );

  it.each([
    [undefined, 'give the address of the ResourceManager: --yarn-url http://rm.example:8088'],
    ['rm:8088', 'write an address such as http://rm.example:8088'],
    ['http://a:1,https://b:1', 'write all addresses with http, or all with https'],
  ])('refuses the address %s before it makes a database', async (url, message) => {
    const refused = await start(url);
    expect(refused).toMatchObject({ status: 2, hasDatabase: false });
    expect(refused.stderr).toContain(message);
  });
});
