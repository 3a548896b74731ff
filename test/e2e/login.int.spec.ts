import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { curtail } from '../../apps/curtail/testing/test-terminal.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { OidcIssuer, oidcAudience, oidcClient } from '../support/oidc-issuer.js';
import { temporaryFolder } from '../support/temporary-folder.js';

let issuer: OidcIssuer;
let system: EmbeddedSystem;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  const policyFile = join(folder.path, 'policy.yaml');
  await writeFile(policyFile, 'grants: [{group: sre, role: operator}]\n');
  issuer = await OidcIssuer.start({ people: { olga: ['sre'] } });
  system = await EmbeddedSystem.start({
    ...{ policyFile, oidcIssuer: issuer.url, oidcAudience, oidcClientId: oidcClient },
    socket: join(folder.path, 'curtail.sock'),
  });
});
afterAll(async () => {
  await system?.stop();
  await issuer?.stop();
  await folder?.remove();
});

const env = () => ({ CURTAIL_CONFIG: join(folder.path, 'own', 'config.yaml') });
const call = (...words: string[]) =>
  curtail(['--server', system.url, '-o', 'json', ...words], { env: env() });
const loginFile = () =>
  join(folder.path, 'own', 'logins', `${new URL(system.url).host.replace(':', '_')}.json`);
interface Kept {
  token: string;
  refreshToken: string;
  expiresAt: string;
}
const kept = () => JSON.parse(readFileSync(loginFile(), 'utf8')) as Kept;
const keep = (fields: Partial<Kept>) => writeFileSync(loginFile(), JSON.stringify({ ...kept(), ...fields }));

describe('curtail login', () => {
  let shown = '';
  it('lets a person log in with a browser, and keeps the tokens where only the person can read them', async () => {
    expect(await call('whoami')).toMatchObject({ status: 2, stderr: expect.stringContaining('no token') });
    let opened: Promise<unknown> | undefined;
    const done = await curtail(['--server', system.url, '-o', 'json', 'login'], {
      env: env(),
      onError: (text) => {
        const address = /Open (\S+) and confirm the code/.exec(text)?.[1];
        if (address !== undefined) opened ??= issuer.visit(address, 'olga');
      },
    });
    await opened;
    expect(done).toMatchObject({ status: 0 });
    expect(JSON.parse(done.stdout)).toMatchObject({ actor: { issuer: issuer.url, subject: 'olga' } });
    shown = done.stdout + done.stderr;
    expect(statSync(loginFile()).mode & 0o777).toBe(0o600);
    expect(statSync(join(loginFile(), '..')).mode & 0o777).toBe(0o700);
    const who = await call('whoami');
    expect(JSON.parse(who.stdout)).toMatchObject({ actor: { subject: 'olga', groups: ['sre'] } });
    shown += who.stdout + who.stderr;
    for (const words of [['config'], ['config', 'get-contexts'], ['stop'], ['resume']]) {
      const { status, stdout, stderr } = await call(...words);
      expect({ words, status, stderr }).toMatchObject({ words, status: 0 });
      shown += stdout + stderr;
    }
  });

  it('prints no token, unless it is asked for it', async () => {
    const { token, refreshToken } = kept();
    expect(shown).not.toContain(token);
    expect(shown).not.toContain(refreshToken);
    expect(readFileSync(env().CURTAIL_CONFIG, 'utf8')).not.toContain(token);
    expect((await call('config', 'token')).stdout).toBe(`${token}\n`);
  });

  it('renews a token before it expires', async () => {
    const before = kept();
    keep({ expiresAt: new Date(Date.now() + 1000).toISOString() });
    expect(await call('whoami')).toMatchObject({ status: 0 });
    const after = kept();
    expect(after.token).not.toBe(before.token);
    expect(Date.parse(after.expiresAt)).toBeGreaterThan(Date.now() + 60_000);
    expect(statSync(loginFile()).mode & 0o777).toBe(0o600);
  });

  it('uses a token until it expires while the issuer is away, and then says what to do', async () => {
    await issuer.goAway();
    keep({ expiresAt: new Date(Date.now() + 20_000).toISOString() });
    expect(await call('whoami')).toMatchObject({ status: 0 });
    keep({ expiresAt: new Date(Date.now() - 1000).toISOString() });
    const refused = await call('whoami');
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('does not answer') });
    expect(refused.stderr).toContain('--token or CURTAIL_TOKEN');
    await issuer.comeBack();
    expect(await call('whoami')).toMatchObject({ status: 0 });
  });

  it('refuses a file that others can read', async () => {
    const { chmodSync } = await import('node:fs');
    chmodSync(loginFile(), 0o644);
    expect(await call('whoami')).toMatchObject({ status: 2, stderr: expect.stringContaining('chmod 600') });
    chmodSync(loginFile(), 0o600);
  });

  it('ends with curtail logout, at the issuer, too', async () => {
    const { refreshToken } = kept();
    expect(await call('logout')).toMatchObject({ status: 0 });
    expect(existsSync(loginFile())).toBe(false);
    expect(await call('whoami')).toMatchObject({ status: 2, stderr: expect.stringContaining('no token') });
    const answer = await fetch(`${issuer.url}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: oidcClient,
        refresh_token: refreshToken,
      }),
    });
    expect(await answer.json()).toMatchObject({ error: 'invalid_grant' });
    expect(await call('logout')).toMatchObject({ status: 2, stderr: expect.stringContaining('no context') });
  });

  it('says so where a server has no login', async () => {
    const other = await EmbeddedSystem.start({ oidcIssuer: issuer.url, oidcAudience });
    try {
      const refused = await curtail(['--server', other.url, 'login'], { env: env() });
      expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('CURTAIL_OIDC_CLIENT_ID') });
    } finally {
      await other.stop();
    }
  });
});

describe('a Unix socket', () => {
  const over = (...words: string[]) =>
    curtail(['--server', `unix:${join(folder.path, 'curtail.sock')}`, '-o', 'json', ...words], {
      env: env(),
    });

  it('opens to the user of the process alone, who needs no token', async () => {
    expect(statSync(join(folder.path, 'curtail.sock')).mode & 0o777).toBe(0o600);
    const who = await over('whoami');
    expect(who).toMatchObject({ status: 0 });
    expect(JSON.parse(who.stdout)).toMatchObject({ actor: { issuer: 'local' } });
    expect(await over('stop', '--reason', 'drill')).toMatchObject({ status: 0 });
    const events = await over('get', 'events', '--limit', '3');
    expect(events).toMatchObject({ status: 0, stdout: expect.stringContaining('drill') });
    expect(await over('resume')).toMatchObject({ status: 0 });
  });

  it('is named where nobody listens', async () => {
    const refused = await curtail(['--server', 'unix:/tmp/curtail-absent.sock', 'status'], { env: env() });
    expect(refused).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('unix:/tmp/curtail-absent.sock'),
    });
  });
});
