import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { makeAuthority } from '../../../../scripts/infra/secured/authority.js';
import { makeTokenIssuer } from '../../../../scripts/infra/secured/token-issuer.js';
import { KubernetesApi } from './api.js';

/** An API server over TLS that takes one token, and an identity provider. */
const authority = await makeAuthority('Kubernetes of a test');
let folder: string;
let server: Server;
let url: string;
/** The token that it accepts now. */
let good = 'first';
let asked: (string | undefined)[] = [];
const opened: KubernetesApi[] = [];

const json = (response: Parameters<RequestListener>[1], code: number, body: object) => {
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};

async function listen(answer: RequestListener): Promise<[Server, string]> {
  const made = createServer(await authority.issue('localhost'), answer);
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  return [made, `https://127.0.0.1:${(made.address() as AddressInfo).port}`];
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'curtail-credentials-'));
  [server, url] = await listen((request, response) => {
    asked.push(request.headers.authorization);
    if (request.headers.authorization === `Bearer ${good}`) json(response, 200, { gitVersion: 'v1.36.1' });
    else json(response, 401, { kind: 'Status', code: 401, message: 'Unauthorized', reason: 'Unauthorized' });
  });
});
afterEach(() => {
  for (const api of opened.splice(0)) api.close();
  [good, asked] = ['first', []];
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

async function kubeconfig(user: object, cluster: object = {}): Promise<string> {
  const file = join(folder, 'kubeconfig');
  const ca = Buffer.from(authority.ca).toString('base64');
  const content = {
    clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority-data': ca, ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'production', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'production',
  };
  await writeFile(file, JSON.stringify(content));
  return file;
}

async function open(user: object, cluster?: object): Promise<KubernetesApi> {
  const api = KubernetesApi.open({ kubeconfig: await kubeconfig(user, cluster) });
  opened.push(api);
  return api;
}

describe('a server', () => {
  it('receives nothing if another authority has signed its certificate', async () => {
    const other = Buffer.from((await makeAuthority('another')).ca).toString('base64');
    const api = await open({ token: 'first' }, { 'certificate-authority-data': other });
    await expect(api.get('/version')).rejects.toThrow(
      /^https:\/\/127.0.0.1:\d+ cannot be trusted: .*certificate.*Add the CA that signed it to certificate-authority/,
    );
    expect(asked).toEqual([]);
  });

  it('receives nothing if its certificate is for another name', async () => {
    const api = await open({ token: 'first' }, { 'tls-server-name': 'kubernetes.example' });
    await expect(api.get('/version')).rejects.toThrow(/cannot be trusted: .*kubernetes\.example/);
    expect(asked).toEqual([]);
  });
});

describe('credentials', () => {
  it('that are over are named with their context and what to do, and never shown', async () => {
    const api = await open({ token: 'expired-secret' });
    const refused = await api.get('/version').catch((error: Error) => error);
    expect(refused).toMatchObject({
      status: 401,
      message: expect.stringMatching(/does not accept the credentials of context production.*[Rr]enew/),
    });
    expect((refused as Error).message).not.toContain('expired-secret');
  });

  it('in a file are those that stand there now', async () => {
    const tokenFile = join(folder, 'token');
    await writeFile(tokenFile, 'first\n');
    const api = await open({ tokenFile });
    await api.get('/version');
    good = 'second';
    await expect(api.get('/version')).rejects.toMatchObject({ status: 401 });
    await writeFile(tokenFile, 'second\n');
    await api.get('/version');
    expect(asked).toEqual(['Bearer first', 'Bearer first', 'Bearer second']);
  });

  it('of a program are asked for once, and again when they are over', async () => {
    const [calls, program] = [join(folder, 'calls'), join(folder, 'program.mjs')];
    await writeFile(calls, '');
    const issue = (token: string) => writeFile(join(folder, 'issued'), token);
    await issue('first');
    await writeFile(
      program,
      `import { appendFileSync, readFileSync } from 'node:fs';
       appendFileSync(${JSON.stringify(calls)}, 'x');
       const lasts = process.env.LASTS_MS;
       const status = { token: readFileSync(${JSON.stringify(join(folder, 'issued'))}, 'utf8') };
       if (lasts !== '') status.expirationTimestamp = new Date(Date.now() + Number(lasts)).toISOString();
       console.log(JSON.stringify({ kind: 'ExecCredential', status }));`,
    );
    const exec = (lasts: string) => ({
      exec: {
        apiVersion: 'client.authentication.k8s.io/v1',
        command: process.execPath,
        args: [program],
        env: [{ name: 'LASTS_MS', value: lasts }],
      },
    });
    const lasting = await open(exec('60000'));
    await lasting.get('/version');
    await lasting.get('/version');
    expect(await readFile(calls, 'utf8')).toBe('x');
    const over = await open(exec('-1000'));
    await over.get('/version');
    await over.get('/version');
    expect(await readFile(calls, 'utf8')).toBe('xxx');
    const withoutExpiry = await open(exec(''));
    await withoutExpiry.get('/version');
    await withoutExpiry.get('/version');
    expect(await readFile(calls, 'utf8')).toBe('xxxx');
    good = 'second';
    await issue('second');
    await expect(withoutExpiry.get('/version')).rejects.toMatchObject({ status: 401 });
    await withoutExpiry.get('/version');
    expect(await readFile(calls, 'utf8')).toBe('xxxxx');
  });

  it('in a file reach the server through a proxy, and none that is not encrypted', async () => {
    const through: string[] = [];
    const proxy = createHttpServer().on('connect', (request, client) => {
      through.push(request.url ?? '');
      const { port } = server.address() as AddressInfo;
      const onward = connect(port, '127.0.0.1', () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
      onward.pipe(client).pipe(onward);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const tokenFile = join(folder, 'token');
    await writeFile(tokenFile, 'first\n');
    const api = await open({ tokenFile }, { 'proxy-url': proxyUrl });
    await api.get('/version');
    expect(through).toEqual([new URL(url).host]);
    const plain = await open({ tokenFile }, { 'proxy-url': proxyUrl, server: 'http://127.0.0.1:1' });
    await expect(plain.get('/version')).rejects.toThrow('is not encrypted');
    proxy.closeAllConnections();
    proxy.close();
  });

  it('of a failing program are an error with its context and its message', async () => {
    const args = ['-e', 'console.error("log in first"); process.exit(1)'];
    const api = await open({ exec: { command: process.execPath, args } });
    await expect(api.get('/version')).rejects.toThrow(
      /could not get the credentials of context production: log in first/,
    );
    expect(asked).toEqual([]);
  });

  it('of an identity provider are renewed when they are over', async () => {
    let renewed = '';
    const [provider, issuerUrl] = await listen(async (request, response) => {
      if (request.url === '/.well-known/openid-configuration') {
        return json(response, 200, {
          issuer: issuerUrl,
          token_endpoint: `${issuerUrl}/token`,
          jwks_uri: `${issuerUrl}/keys`,
        });
      }
      renewed = await text(request);
      json(response, 200, {
        ...{ access_token: 'unused', token_type: 'Bearer', expires_in: 300, refresh_token: 'next' },
        id_token: good,
      });
    });
    const issuer = makeTokenIssuer(issuerUrl, 'kubernetes');
    good = await issuer.token('ada');
    const file = await kubeconfig({
      'auth-provider': {
        name: 'oidc',
        config: {
          'client-id': 'kubernetes',
          'idp-issuer-url': issuerUrl,
          'id-token': await issuer.token('ada', -60),
          'refresh-token': 'again',
        },
      },
    });
    const untrusting = KubernetesApi.open({ kubeconfig: file });
    await expect(untrusting.get('/version')).rejects.toThrow(
      `${issuerUrl} cannot be trusted: set NODE_EXTRA_CA_CERTS`,
    );
    untrusting.close();
    const ca = join(folder, 'ca.crt');
    await writeFile(ca, authority.ca);
    // In a process of its own: which authorities Node trusts for identity providers is settled when it starts.
    const program = `
      const { KubernetesApi } = await import('./libs/agents/src/kubernetes/api.ts');
      const api = KubernetesApi.open({ kubeconfig: ${JSON.stringify(file)} });
      console.log(JSON.stringify([await api.get('/version'), await api.get('/version')]));
      api.close();`;
    const child = spawn(
      process.execPath,
      ['--import', './test/support/typescript.mjs', '--input-type=module', '-e', program],
      { env: { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: ca }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const [out, problems] = await Promise.all([text(child.stdout), text(child.stderr)]);
    provider.closeAllConnections();
    provider.close();
    if (out === '') throw new Error(problems);
    expect(JSON.parse(out)).toEqual([{ gitVersion: 'v1.36.1' }, { gitVersion: 'v1.36.1' }]);
    expect(Object.fromEntries(new URLSearchParams(renewed))).toMatchObject({
      grant_type: 'refresh_token',
      refresh_token: 'again',
    });
    expect(asked).toEqual([`Bearer ${good}`, `Bearer ${good}`]);
  });
});
