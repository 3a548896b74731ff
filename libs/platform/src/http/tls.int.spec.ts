import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import {
  type Authority,
  type Certificate,
  makeAuthority,
} from '../../../../scripts/infra/secured/authority.js';
import { actorNow } from '../access/acting.js';
import type { TableOfRights } from '../access/table-of-rights.js';
import { Readiness } from '../health/readiness.js';
import { createLogger } from '../logging/create-logger.js';
import { SettingsError } from '../settings/settings-error.js';
import { Shutdown } from '../shutdown/shutdown.js';
import { settingsForTest } from '../testing/sample-app.js';
import { createHttpApp } from './create-http-app.js';
import { closeAtTheEnd, FrontDoor, serveHttp } from './front-door.js';
import { RenewTls, readTls } from './tls.js';

@Controller()
class OneController {
  @Get('one')
  one() {
    return { one: 1, actor: actorNow() ?? null };
  }
}
@Module({ controllers: [OneController] })
class OneModule {}

const folder = mkdtempSync(join(tmpdir(), 'curtail-tls-'));
afterAll(() => rmSync(folder, { recursive: true }));
const files = { tlsCert: join(folder, 'cert.pem'), tlsKey: join(folder, 'key.pem') };

let authority: Authority;
let first: Certificate;
beforeAll(async () => {
  authority = await makeAuthority();
  first = await authority.issue('first');
});

/** As secrets are renewed that are mounted: at once, by another file. */
function place({ cert, key }: Certificate): void {
  writeFileSync(`${files.tlsCert}.new`, cert);
  writeFileSync(`${files.tlsKey}.new`, key);
  renameSync(`${files.tlsCert}.new`, files.tlsCert);
  renameSync(`${files.tlsKey}.new`, files.tlsKey);
}

const running: Shutdown[] = [];
afterEach(async () => {
  for (const shutdown of running.splice(0)) await shutdown.run();
});
beforeEach(() => place(first));

async function start(more: object = {}): Promise<{ url: string; door: FrontDoor }> {
  const settings = { ...settingsForTest(), ...files, ...more };
  const log = createLogger({ ...settings, logLevel: 'silent' });
  const shutdown = new Shutdown({ log, deadlineSeconds: 60, exit: () => {} });
  running.push(shutdown);
  const readiness = new Readiness();
  const door = await FrontDoor.open(settings, () => []);
  closeAtTheEnd(door, readiness, shutdown);
  const app = await createHttpApp(OneModule, settings, {
    log,
    shutdown,
    readiness,
    server: door.server,
    rights,
  });
  return { url: await serveHttp(app, door), door };
}

const rights: TableOfRights = { 'GET /one': { rights: ['read'], place: 'none' } };

interface Answer {
  status: number | undefined;
  hsts: string | string[] | undefined;
  subject: string;
  actor: unknown;
}

const get = (url: string, own: Partial<Certificate> = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const asked = request(`${url}/one`, { ca: authority.ca, agent: false, ...own }, (response) => {
      const { subject } = (response.socket as TLSSocket).getPeerCertificate();
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.once('end', () =>
        resolve({
          actor: (JSON.parse(text) as { actor?: unknown }).actor ?? null,
          status: response.statusCode,
          hsts: response.headers['strict-transport-security'],
          subject: String(subject.CN),
        }),
      );
    });
    asked.once('error', reject);
    asked.end();
  });

describe('TLS', () => {
  it('is served where there is a certificate, and browsers are told to keep to it', async () => {
    const { url } = await start();
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(await get(url)).toEqual({ status: 200, hsts: 'max-age=31536000', subject: 'first', actor: null });
    await expect(fetch(`${url.replace('https', 'http')}/one`)).rejects.toThrow();
  });

  it('serves a renewed certificate without a restart, and keeps the old one where the new one is faulty', async () => {
    const { url, door } = await start();
    const logged: string[] = [];
    const log = {
      info: (_fields: unknown, message: string) => logged.push(message),
      error: ({ reason }: { reason: string }) => logged.push(reason),
    };
    const renewing = new RenewTls(door.server as never, files, readTls(files)!, log as never);
    place(await authority.issue('second'));
    renewing.look();
    renewing.look();
    expect((await get(url)).subject).toBe('second');
    place({ cert: (await authority.issue('third')).cert, key: 'marked-secret' });
    renewing.look();
    renewing.look();
    expect((await get(url)).subject).toBe('second');
    renewing.stop();
    expect(logged).toEqual([
      'The certificate was renewed.',
      expect.stringContaining('CURTAIL_TLS_KEY_FILE names a file that cannot be used'),
    ]);
    expect(logged.join()).not.toContain('marked-secret');
  });

  it('asks callers for a certificate where there is an authority for them', async () => {
    const others = await makeAuthority('others');
    const tlsClientCa = join(folder, 'ca.pem');
    writeFileSync(tlsClientCa, authority.ca);
    const policyFile = join(folder, 'policy.yaml');
    writeFileSync(
      policyFile,
      'grants: [{subject: caller, role: viewer}, {subject: first, issuer: tokens, role: viewer}]',
    );
    const { url } = await start({ tlsClientCa, policyFile });
    expect(await get(url, await authority.issue('caller'))).toMatchObject({
      status: 200,
      actor: { issuer: 'mtls', subject: 'caller', address: '127.0.0.1' },
    });
    // Whoever has a certificate is known; nobody has rights by that alone.
    expect((await get(url, await authority.issue('first'))).status).toBe(403);
    expect((await get(url, await authority.issue('stranger'))).status).toBe(403);
    await expect(get(url)).rejects.toThrow();
    await expect(get(url, await others.issue('caller'))).rejects.toThrow();
  });

  it('counts a connection no longer once its request was accepted', async () => {
    const { url } = await start({ connectionLimit: 2 });
    const answers = [];
    for (let n = 0; n < 5; n++) answers.push(await get(url));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  });

  it.each([
    ['a key is missing', { tlsKey: undefined }, 'CURTAIL_TLS_KEY_FILE is not set'],
    ['a certificate is missing', { tlsCert: undefined }, 'CURTAIL_TLS_CERT_FILE is not set'],
    ['a file is missing', { tlsCert: '/absent.pem' }, 'names a file that cannot be read (ENOENT)'],
    ['a file has no certificate', { tlsCert: join(folder, 'key.pem') }, 'names a file without a certificate'],
  ])('is refused at the start where %s', (_what, more, wrong) => {
    expect(() => readTls({ ...files, ...more })).toThrow(SettingsError);
    expect(() => readTls({ ...files, ...more })).toThrow(wrong);
  });
});
