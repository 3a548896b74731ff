import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { passOn } from '#platform';
import { makeAuthority } from '../../scripts/infra/secured/authority.js';
import { assertBuilt, ownVariables } from '../support/curtail-process.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { query } from '../support/query.js';
import { ServiceProcess } from '../support/service-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const token = 'a-token-that-services-share';

/** The console and config-ingest are services of their own: only the console sees the certificate or the socket of a caller. */
describe('a caller with a certificate, or at the socket', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let database: TestDatabase;
  let services: ServiceProcess[];
  let url: string;
  let ingestUrl: string;
  const path = (name: string) => join(folder.path, name);
  const write = (name: string, content: string) => {
    writeFileSync(path(name), content, { mode: 0o600 });
    return path(name);
  };

  beforeAll(async () => {
    await assertBuilt();
    folder = await temporaryFolder();
    database = await createMigratedDatabase();
    const [authority, other] = [await makeAuthority(), await makeAuthority('another')];
    write('ca.pem', authority.ca);
    for (const [name, of] of [
      ['ann', authority],
      ['vera', authority],
      ['console', authority],
      ['eve', other],
    ] as const) {
      const { cert, key } = await of.issue(name);
      write(`${name}.pem`, cert);
      write(`${name}.key`, key);
    }
    const grants = [
      { subject: 'ann', issuer: 'mtls', role: 'submitter' },
      { subject: 'vera', issuer: 'mtls', role: 'viewer' },
    ];
    const shared = {
      DATABASE_URL: database.url,
      CURTAIL_TOKEN: token,
      CURTAIL_POLICY_FILE: write('policy.json', JSON.stringify({ grants })),
    };
    const ingest = await ServiceProcess.start('config-ingest', shared);
    ingestUrl = ingest.url;
    const front = ServiceProcess.spawn('console', {
      ...{ ...shared, CURTAIL_CONFIG_INGEST: ingestUrl, CURTAIL_SOCKET: path('curtail.sock') },
      ...{ CURTAIL_TLS_CERT_FILE: path('console.pem'), CURTAIL_TLS_KEY_FILE: path('console.key') },
      CURTAIL_TLS_CLIENT_CA_FILE: path('ca.pem'),
    });
    services = [ingest, front];
    url = await front.logged(/it answers at (https:\/\/[^"\s]+)\./);
    write('quotas.yaml', 'partitions: [{name: default, queues: [{name: root, queues: [{name: a}]}]}]\n');
  }, 60_000);
  afterAll(async () => {
    for (const service of services ?? []) await service.kill();
    await database?.drop();
    await folder?.remove();
  });

  /** In a process of its own: Node reads its authorities once. */
  async function curtail(words: string[], environment: Record<string, string> = {}) {
    const child = spawn(
      process.execPath,
      [join(process.cwd(), 'dist/apps/curtail/src/main.js'), ...words, '-o', 'json'],
      {
        cwd: folder.path,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          ...ownVariables(),
          ...{
            CURTAIL_SERVER: url,
            CURTAIL_CONFIG: path('config.yaml'),
            NODE_EXTRA_CA_CERTS: path('ca.pem'),
          },
          ...environment,
        },
      },
    );
    const [stdout, stderr, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number]>,
    ]);
    return { status, stdout, stderr };
  }
  const as = (name: string) => ['--client-cert', `${name}.pem`, '--client-key', `${name}.key`];
  const configured = async () =>
    (await query(
      database.url,
      `SELECT data->>'by' AS by, data->'actor'->>'issuer' AS issuer FROM events
       WHERE type LIKE '%config.applied%' ORDER BY position`,
    )) as { by: string; issuer: string }[];

  it('is who the certificate says, by options, by variables and by a context', async () => {
    const who = (stdout: string) => (JSON.parse(stdout) as { actor: object }).actor;
    const actor = { issuer: 'mtls', subject: 'ann' };
    expect(who((await curtail(['whoami', ...as('ann')])).stdout)).toMatchObject(actor);
    const variables = { CURTAIL_CLIENT_CERT_FILE: path('ann.pem'), CURTAIL_CLIENT_KEY_FILE: path('ann.key') };
    expect(who((await curtail(['whoami'], variables)).stdout)).toMatchObject(actor);
    expect(await curtail(['config', 'set-context', 'tls', '--server', url, ...as('vera')])).toMatchObject({
      status: 0,
    });
    const ofContext = { CURTAIL_SERVER: '' };
    expect(who((await curtail(['whoami'], ofContext)).stdout)).toMatchObject({
      issuer: 'mtls',
      subject: 'vera',
    });
    expect(who((await curtail(['whoami'], { ...ofContext, ...variables })).stdout)).toMatchObject(actor);
    expect(JSON.parse((await curtail(['config'], ofContext)).stdout)).toMatchObject({
      certificate: { value: path('vera.pem'), from: 'context tls' },
    });
  }, 60_000);

  it('has the same rights in a service behind the console, and is on record there', async () => {
    const refused = await curtail(['apply', '-f', 'quotas.yaml', '--yes', ...as('vera')]);
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('submit') });
    expect(await configured()).toEqual([]);
    expect(await curtail(['apply', '-f', 'quotas.yaml', '--yes', ...as('ann')])).toMatchObject({ status: 0 });
    expect(await configured()).toEqual([{ by: 'ann', issuer: 'mtls' }]);
    write(
      'more.yaml',
      'partitions: [{name: default, queues: [{name: root, queues: [{name: a}, {name: b}]}]}]\n',
    );
    const atSocket = { CURTAIL_SERVER: `unix:${path('curtail.sock')}` };
    expect(await curtail(['apply', '-f', 'more.yaml', '--yes'], atSocket)).toMatchObject({ status: 0 });
    expect((await configured())[1]).toMatchObject({ issuer: 'local' });
  }, 60_000);

  it('is known there at an address that the console writes in another way', async () => {
    const asked = request({ socketPath: path('curtail.sock'), path: `/v1/partitions/none/config?x='{}` });
    const [answer] = (await once(asked.end(), 'response')) as [IncomingMessage];
    // It knows the caller, and says what the caller asked for wrongly.
    expect(JSON.parse(await text(answer))).toMatchObject({ type: 'urn:curtail:problem:unknown-partition' });
  });

  it('cannot pass itself on as another, again, or with another content', async () => {
    const target = '/v1/partitions/default/config';
    const ann = { issuer: 'mtls', subject: 'ann' };
    const type = { 'content-type': 'application/yaml' };
    const own = 'partitions: [{name: default, queues: [{name: root, queues: [{name: a}]}]}]\n';
    const ask = async (bearer: string, { method = 'GET', body = '', headers = type as object } = {}) =>
      (
        await fetch(ingestUrl + target, {
          ...{ method, headers: { authorization: `Bearer ${bearer}`, ...headers } },
          ...(body !== '' && { body }),
        })
      ).status;
    const passed = (
      changes: Partial<Parameters<typeof passOn>[3]> = {},
      [secret, to]: [string, string] = [token, 'config ingest'],
    ) => passOn(secret, ann, to, { method: 'GET', originalUrl: target, headers: type, body: '', ...changes });

    const right = passed();
    expect(await ask(right)).not.toBe(401);
    expect(await ask(right)).toBe(401);
    const submitted = passed({ method: 'PUT', body: own });
    expect(await ask(submitted, { method: 'PUT', body: own })).toBe(200);
    const before = await configured();
    expect(await ask(submitted, { method: 'PUT', body: own })).toBe(401);
    const changed = [
      { body: own.replace('a}', 'b}') },
      { body: '' },
      { body: own, headers: { ...type, 'if-match': '"1"' } },
      { body: own, headers: { 'content-type': 'text/plain' } },
    ];
    for (const content of changed)
      expect(await ask(passed({ method: 'PUT', body: own }), { method: 'PUT', ...content })).toBe(401);
    expect(await ask(passed(), { method: 'PUT', body: own })).toBe(401);
    const wrong = [
      passed({}, ['another-token-of-services', 'config ingest']),
      passed({}, [token, 'console']),
      passed({ originalUrl: `${target}?x=1` }),
      passed().slice(0, -1),
      `${passed()}=`,
      `passed.${Buffer.from(JSON.stringify({ actor: ann })).toString('base64url')}.${right.split('.')[2]}`,
      'passed..',
    ];
    for (const bearer of wrong) expect(await ask(bearer)).toBe(401);
    expect(await configured()).toEqual(before);
  });

  it.each<[string, string[], RegExp]>([
    ['no certificate', [], /wants a certificate of its authority/],
    [
      'one of another authority',
      ['--client-cert', 'eve.pem', '--client-key', 'eve.key'],
      /wants a certificate of its authority/,
    ],
    ['no key', ['--client-cert', 'ann.pem'], /give both --client-cert and --client-key/],
    [
      'a file that is not there',
      ['--client-cert', 'none.pem', '--client-key', 'ann.key'],
      /certificate none.pem cannot be read \(ENOENT\)/,
    ],
    ['the key of another', ['--client-cert', 'ann.pem', '--client-key', 'vera.key'], /cannot be used/],
    [
      'a key that others can read',
      ['--client-cert', 'ann.pem', '--client-key', 'open.key'],
      /chmod 600 open.key/,
    ],
    [
      'plain HTTP',
      ['--server', 'http://127.0.0.1:1', '--client-cert', 'ann.pem', '--client-key', 'ann.key'],
      /write https/,
    ],
  ])('is told what is wrong with %s', async (_what, words, message) => {
    write('open.key', 'x');
    chmodSync(path('open.key'), 0o644);
    const { status, stderr } = await curtail(['status', ...words], { CURTAIL_CONFIG: path('none.yaml') });
    expect(status).toBe(2);
    expect(stderr).toMatch(message);
  });
});
