import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rawBytes, rawRequest } from '../testing/raw-request.js';
import { type SampleApp, settingsForTest, startSampleApp } from '../testing/sample-app.js';
import { assertListenAddress } from './listen-address.js';
import { isLoopback } from './loopback.js';

const token = 'correct-horse-battery';

describe('the loopback rule', () => {
  it.each(['127.0.0.1', '127.8.9.10', 'localhost', '::1', '[::1]', '::ffff:127.0.0.1'])(
    'lets %s be',
    (host) => {
      expect(isLoopback(host)).toBe(true);
      expect(() => assertListenAddress({ host })).not.toThrow();
    },
  );

  it.each([
    '0.0.0.0',
    '::',
    '',
    '10.0.0.7',
    'example.org',
    '127.0.0.1.example.org',
    '128.0.0.1',
    'localhost.evil',
  ])('refuses %j without a token, with the remedy', (host) => {
    expect(() => assertListenAddress({ host })).toThrow(/CURTAIL_TOKEN.*127\.0\.0\.1/s);
    expect(() => assertListenAddress({ host, token: '' })).toThrow(/CURTAIL_TOKEN/);
    expect(() => assertListenAddress({ host, token })).not.toThrow();
  });

  it('holds at the start of an application', async () => {
    await expect(startSampleApp({ host: '0.0.0.0' })).rejects.toThrow(/CURTAIL_TOKEN is not set/);
  });

  it('holds for any host that the application listens on', async () => {
    const sample = await startSampleApp();
    try {
      const server: Server = sample.app.getHttpServer();
      expect((server.address() as AddressInfo).address).toBe(settingsForTest().host);
    } finally {
      await sample.close();
    }
  });
});

describe('without a token', () => {
  let sample: SampleApp;
  beforeAll(async () => {
    sample = await startSampleApp();
  });
  afterAll(() => sample.close());
  const get = (host: string) => rawRequest(sample.port, { path: '/v1/sample/queues/q', headers: { host } });

  it.each(['localhost', 'LOCALHOST:8080', '127.0.0.1:1', '[::1]', '[::1]:8080'])(
    'answers to %s',
    async (host) => {
      expect((await get(host)).status).toBe(200);
    },
  );

  it.each(['evil.example', 'evil.example:8080', 'localhost.evil.example', '127.0.0.1.nip.io', '10.0.0.1'])(
    'does not answer to %j',
    async (host) => {
      const answer = await get(host);
      expect(answer.status).toBe(403);
      expect(JSON.parse(answer.body).type).toBe('urn:curtail:problem:host-not-allowed');
    },
  );

  it('does not answer requests without a host', async () => {
    const path = '/v1/sample/queues/q';
    expect(await rawBytes(sample.port, `GET ${path} HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 403/,
    );
    expect(await rawBytes(sample.port, `GET ${path} HTTP/1.0\r\n\r\n`)).toMatch(/^HTTP\/1.1 403/);
  });

  const write = (headers: Record<string, string>) =>
    rawRequest(
      sample.port,
      {
        method: 'PUT',
        path: '/v1/partitions/sample/config',
        headers: { 'content-type': 'text/plain', host: 'localhost:8080', ...headers },
      },
      'x',
    );

  it.each([
    [{ origin: 'https://evil.example' }],
    [{ origin: 'null' }],
    [{ origin: 'http://localhost:9999' }],
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site' }],
  ])('refuses a write of another page: %j', async (headers) => {
    const answer = await write(headers as Record<string, string>);
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.body).type).toBe('urn:curtail:problem:cross-site');
  });

  it.each([[{}], [{ origin: 'http://localhost:8080' }], [{ 'sec-fetch-site': 'same-origin' }]])(
    'takes a write of its own page or of a program: %j',
    async (headers) => {
      expect((await write(headers as Record<string, string>)).status).toBe(200);
    },
  );
});

describe('with a token', () => {
  let sample: SampleApp;
  beforeAll(async () => {
    sample = await startSampleApp({ token, publicOrigin: 'https://curtail.example.org' });
  });
  afterAll(() => sample.close());
  const get = (path: string, authorization?: string) =>
    fetch(sample.url + path, authorization === undefined ? {} : { headers: { authorization } });

  it.each(['/v1/sample/queues/q', '/metrics', '/docs', '/docs/openapi.json', '/nowhere', '/healthz/x'])(
    'refuses %s without it',
    async (path) => {
      const response = await get(path);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toContain('Bearer');
      expect(response.headers.get('content-type')).toBe('application/problem+json');
    },
  );

  it.each(['Bearer wrong-horse-battery', `Bearer ${token}x`, 'Bearer ', `Basic ${token}`, token])(
    'refuses %j',
    async (authorization) => {
      expect((await get('/v1/sample/queues/q', authorization)).status).toBe(401);
    },
  );

  it('accepts the right one, under any name of the host', async () => {
    expect((await get('/v1/sample/queues/q', `Bearer ${token}`)).status).toBe(200);
    const headers = { host: 'curtail.example.org', authorization: `bearer ${token}` };
    expect((await rawRequest(sample.port, { path: '/metrics', headers })).status).toBe(200);
  });

  it('leaves the probes open', async () => {
    expect((await get('/healthz')).status).toBe(200);
    expect((await get('/readyz')).status).toBe(200);
  });

  it('refuses a large body before it is sent', async () => {
    const response = await fetch(`${sample.url}/v1/partitions/sample/config`, {
      method: 'PUT',
      body: 'x'.repeat(20 * 1024 * 1024),
      headers: { 'content-type': 'text/plain' },
    });
    expect(response.status).toBe(401);
  });

  it('accepts writes of the page as browsers see it behind a proxy', async () => {
    const headers = {
      origin: 'https://curtail.example.org',
      authorization: `Bearer ${token}`,
      'content-type': 'text/plain',
    };
    const answer = await rawRequest(
      sample.port,
      { method: 'PUT', path: '/v1/partitions/sample/config', headers },
      'x',
    );
    expect(answer.status).toBe(200);
  });
});

describe('a read-only service', () => {
  let sample: SampleApp;
  beforeAll(async () => {
    sample = await startSampleApp({ readOnly: true });
  });
  afterAll(() => sample.close());

  it('shows and computes, and takes no command', async () => {
    const send = async (method: string, path: string) => {
      const answer = await fetch(sample.url + path, { method });
      const { type } = (await answer.json()) as { type?: string };
      return { path, isRefused: type === 'urn:curtail:problem:read-only', status: answer.status };
    };
    expect(await send('GET', '/v1/sample/queues/q')).toMatchObject({ status: 200 });
    for (const path of ['/v1/what-if', '/v1/plans/preview', '/V1/What-If/'])
      expect(await send('POST', path)).toMatchObject({ path, isRefused: false });
    const config = '/v1/partitions/default/config';
    expect(await send('PUT', `${config}?dryRun=true`)).toMatchObject({ isRefused: false });
    for (const [method, path] of [
      ['PUT', '/v1/sample/echo'],
      ['POST', '/v1/sample/checked'],
      ['POST', '/v1/kill-switch'],
      ['DELETE', '/v1/kill-switch'],
      ['PATCH', '/v1/partitions/default/settings'],
      ['POST', '/v1/what-if/x'],
      ['PUT', '/v1/what-if'],
      ['PUT', config],
      ['PUT', `${config}?dryRun=false`],
      ['PUT', `${config}?dryRun=true&dryRun=false`],
      ['PUT', `${config}?dryrun=true`],
      ['POST', `${config}?dryRun=true`],
      ['PUT', '/v1/sample/echo?dryRun=true'],
      ['PUT', '/v1/partitions/default/queues/root.a/config?dryRun=true'],
      ['POST', '/v1/enforcements/what-if/approve'],
    ] as const)
      expect(await send(method, path)).toEqual({ path, isRefused: true, status: 403 });
  });
});
