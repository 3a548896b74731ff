import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createHttpApp, createLogger, readSettings, serviceSettings } from '#platform';
import { fileOfTeams } from '../../../../libs/platform/src/testing/teams-file.js';
import { forwardModule } from './forward.module.js';

const token = 'sixteen-letters-or-more';
const teamToken = 'token-of-a-team';

describe('a request for a configuration that comes to the console', () => {
  let ingest: Server;
  let received: { request: IncomingMessage; body: string }[];
  let answer: { status: number; headers: Record<string, string>; body: string };
  let app: NestExpressApplication;
  let url: string;

  beforeEach(async () => {
    received = [];
    answer = { status: 200, headers: { 'content-type': 'application/json' }, body: '{"version":3}' };
    ingest = createServer(async (request, response) => {
      const body = await text(request);
      received.push({ request, body });
      response.writeHead(answer.status, answer.headers).end(answer.body);
    });
    await new Promise<void>((resolve) => ingest.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(ingest.address() as AddressInfo).port}`;
    const sha256 = createHash('sha256').update(teamToken).digest('hex');
    const teams = [{ name: 'team a', partition: 'p', queue: 'root.a', sha256 }];
    const settings = {
      ...readSettings(serviceSettings, {}),
      port: 0,
      token,
      teamsFile: fileOfTeams(teams),
      logLevel: 'silent' as const,
    };
    app = await createHttpApp(forwardModule(address), settings, { log: createLogger(settings) });
    await app.listen(0);
    url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}/v1/partitions/p%20q/config`;
  });
  afterEach(async () => {
    app.getHttpServer().closeAllConnections();
    await app.close();
    ingest.closeAllConnections();
    ingest.close();
  });
  const put = (body: string, type = 'application/yaml') =>
    fetch(`${url}?dryRun=true`, {
      method: 'PUT',
      body,
      headers: { 'content-type': type, authorization: `Bearer ${token}`, 'x-request-id': 'r1' },
    });

  it('is passed on as it is, with the token and the id of the request', async () => {
    const response = await put('partitions: [] # ä\n');
    expect([response.status, await response.json()]).toEqual([200, { version: 3 }]);
    const [{ request, body } = { request: undefined, body: '' }] = received;
    expect([request?.method, request?.url]).toEqual(['PUT', '/v1/partitions/p%20q/config?dryRun=true']);
    expect(request?.headers).toMatchObject({
      'content-type': 'application/yaml',
      authorization: `Bearer ${token}`,
      'x-request-id': 'r1',
    });
    expect(body).toBe('partitions: [] # ä\n');

    await put('{"partitions": [{"name": "é"}]}', 'application/json');
    expect(JSON.parse(received[1]?.body ?? '')).toEqual({ partitions: [{ name: 'é' }] });
  });

  it('is passed on as it is, if it is longer than what is parsed here', async () => {
    const long = JSON.stringify({ partitions: [{ name: 'é'.repeat(70_000) }] });
    expect((await put(long, 'application/json')).status).toBe(200);
    expect(received.map(({ body }) => body === long)).toEqual([true]);
  });

  it('is passed on without a body, if it is a rollback', async () => {
    const response = await fetch(url.replace(/config$/, 'configurations/7/rollback?by=ann'), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'if-match': '"9"' },
    });
    expect([response.status, await response.json()]).toEqual([200, { version: 3 }]);
    const [{ request } = { request: undefined }] = received;
    expect([request?.method, request?.url, request?.headers['if-match']]).toEqual([
      'POST',
      '/v1/partitions/p%20q/configurations/7/rollback?by=ann',
      '"9"',
    ]);
  });

  it('ends with its client, if it is a dry run', async () => {
    const client = new AbortController();
    ingest.removeAllListeners('request');
    const left = new Promise<void>((resolve) => {
      ingest.on('request', (_request, response) => {
        response.once('close', resolve);
        client.abort();
      });
    });
    const asked = fetch(`${url}?dryRun=true`, {
      method: 'PUT',
      body: 'x',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/yaml' },
      signal: client.signal,
    });
    await expect(asked).rejects.toThrow();
    await left;
  });

  it('is asked for without a body', async () => {
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    expect([response.status, received[0]?.request.method, received[0]?.body]).toEqual([200, 'GET', '']);
  });

  it('has its refusal passed back, with the errors', async () => {
    const body = '{"type":"urn:curtail:problem:configuration-refused","errors":[{"path":"a"}]}';
    answer = { status: 422, headers: { 'content-type': 'application/problem+json' }, body };
    const response = await put('x');
    expect(response.status).toBe(422);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect(await response.text()).toBe(body);
  });

  it('goes to no other host, whatever it names as its target', async () => {
    const { host, port } = new URL(url);
    const headers = { host, authorization: `Bearer ${token}` };
    const path = 'http://127.0.0.1:1/v1/partitions/p/config?a=b';
    const asked = httpRequest({ host: '127.0.0.1', port, path, headers }).end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    expect([response.statusCode, await text(response)]).toEqual([200, '{"version":3}']);
    expect(received.map(({ request }) => request.url)).toEqual(['/v1/partitions/p/config?a=b']);
  });

  it('names the team whose token it carries, and goes nowhere for a queue of others', async () => {
    const send = (path: string) =>
      fetch(new URL(`/v1/partitions/p/${path}`, url), {
        method: 'PUT',
        body: 'name: a',
        headers: { 'content-type': 'application/yaml', authorization: `Bearer ${teamToken}` },
      });
    expect((await send('queues/root.a/config')).status).toBe(200);
    expect(received.map(({ request }) => request.headers['x-curtail-team'])).toEqual(['team%20a']);
    for (const path of ['config', 'queues/root.b/config', 'queues/%2e%2e/config']) {
      expect((await send(path)).status).toBe(403);
    }
    expect(received).toHaveLength(1);
  });

  it('goes nowhere without the token', async () => {
    expect((await fetch(url)).status).toBe(401);
    expect(received).toEqual([]);
  });

  it('reports that the config ingest is away, and follows no other address', async () => {
    answer = { status: 307, headers: { location: 'http://127.0.0.1:1/' }, body: '' };
    expect((await put('x')).status).toBe(503);
    ingest.closeAllConnections();
    await new Promise((resolve) => ingest.close(resolve));
    const response = await put('x');
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    const problem = (await response.json()) as { type: string; detail: string };
    expect(problem.type).toBe('urn:curtail:problem:config-ingest-away');
    expect(problem.detail).toContain('ECONNREFUSED');
  });
});
