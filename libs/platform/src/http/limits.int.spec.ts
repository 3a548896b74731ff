import { createHash } from 'node:crypto';
import { type ClientRequest, request, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rawBytes, rawRequest } from '../testing/raw-request.js';
import { type SampleApp, startSampleApp } from '../testing/sample-app.js';
import { fileOfTeams } from '../testing/teams-file.js';

const token = 'correct-horse-battery';
const limit = 64 * 1024;
const fiftyMegabytes = 50 * 1024 * 1024;
let sample: SampleApp;
beforeAll(async () => {
  sample = await startSampleApp({ bodyLimitBytes: limit, jsonDepthLimit: 20, headerCountLimit: 30 });
});
afterAll(() => sample.close());

const put = (body: string | Uint8Array, type: string, headers: Record<string, string> = {}) =>
  fetch(`${sample.url}/v1/partitions/sample/config`, {
    method: 'PUT',
    body,
    headers: { 'content-type': type, ...headers },
  });

describe('bodies', () => {
  it.each(['application/json', 'application/yaml', 'application/xml', 'text/yaml', 'text/plain'])(
    'of 50 MB are refused (%s)',
    async (type) => {
      const response = await put('x'.repeat(fiftyMegabytes), type);
      expect(response.status).toBe(413);
      expect(await response.json()).toMatchObject({
        type: 'urn:curtail:problem:body-too-large',
        limitBytes: limit,
      });
    },
  );

  it('that announce too much are refused before any of it is sent', async () => {
    const answer = await new Promise<{ status: number; continued: boolean }>((resolve, reject) => {
      let continued = false;
      const outgoing = request({
        port: sample.port,
        method: 'PUT',
        path: '/v1/partitions/sample/config',
        headers: {
          'content-type': 'text/yaml',
          'content-length': String(fiftyMegabytes),
          expect: '100-continue',
        },
      });
      outgoing.on('continue', () => {
        continued = true;
      });
      outgoing.on('response', (response) => {
        resolve({ status: response.statusCode!, continued });
        outgoing.destroy();
      });
      outgoing.on('error', reject);
      outgoing.flushHeaders();
    });
    expect(answer).toEqual({ status: 413, continued: false });
  });

  it('without an announced size are cut at the limit, however long they would be', async () => {
    const answer = await new Promise<{ status: number; sentBytes: number }>((resolve, reject) => {
      let sentBytes = 0;
      let answered = false;
      const outgoing = request({
        port: sample.port,
        method: 'PUT',
        path: '/v1/partitions/sample/config',
        headers: { 'content-type': 'text/plain' },
      });
      const chunk = Buffer.alloc(16 * 1024, 'x');
      const more = () => {
        if (answered) return;
        sentBytes += chunk.length;
        outgoing.write(chunk, (error) => {
          if (!error) setImmediate(more);
        });
      };
      outgoing.on('response', (response) => {
        answered = true;
        resolve({ status: response.statusCode!, sentBytes });
        outgoing.destroy();
      });
      outgoing.on('error', (error) => {
        if (!answered) reject(error);
      });
      more();
    });
    expect(answer.status).toBe(413);
    expect(answer.sentBytes).toBeGreaterThan(limit);
  });

  it('just within the limit pass, just above are refused', async () => {
    expect((await put('y'.repeat(limit), 'text/plain')).status).toBe(200);
    expect((await put('y'.repeat(limit + 1), 'text/plain')).status).toBe(413);
  });

  it('of commands and answers have at most 64 KB, whatever the settings permit others', async () => {
    const large = await startSampleApp({ bodyLimitBytes: 8 * limit });
    try {
      /** A text in JSON of so many bytes. */
      const send = (method: string, path: string, bytes: number) =>
        fetch(large.url + path, {
          ...{ method, body: JSON.stringify('y'.repeat(bytes - 2)) },
          headers: { 'content-type': 'application/json' },
        });
      expect((await send('PUT', '/v1/sample/echo', limit)).status).toBe(200);
      const refused = await send('PUT', '/v1/sample/echo', limit + 1);
      expect(await refused.json()).toMatchObject({
        ...{ status: 413, limitBytes: limit },
        remedy: expect.stringContaining('only configurations and snapshots'),
      });
      for (const [method, path] of [
        ['POST', '/v1/what-if'],
        ['POST', '/v1/plans/preview'],
        ['PUT', '/v1/partitions/default/config'],
        ['PUT', '/v1/partitions/default/queues/root.a/config'],
        ['POST', '/v1/partitions/default/simulated/scenario'],
      ] as const) {
        // No such route is here: the body was read.
        expect((await send(method, path, 2 * limit)).status).toBe(404);
        expect((await send(method, path, 9 * limit)).status).toBe(413);
      }
    } finally {
      await large.close();
    }
  });

  it('of JSON that are long are checked like others, and have no more values than as many bytes can hold', async () => {
    const large = await startSampleApp({ bodyLimitBytes: 8 * limit, jsonDepthLimit: 20 });
    try {
      const send = async (body: string, path = '/v1/what-if') => {
        const headers = { 'content-type': 'application/json' };
        const response = await fetch(large.url + path, { method: 'POST', body, headers });
        return response.json();
      };
      const long = 'x'.repeat(2 * limit);
      expect(await send(`[${JSON.stringify(long)}]`)).toMatchObject({ status: 404 });
      expect(await send(`["${long}",\n1 2]`)).toMatchObject({ status: 400, line: 2, column: 3 });
      expect(await send(`${'\n'.repeat(4 * limit)}[1 2]`)).toMatchObject({
        ...{ status: 400, line: 4 * limit + 1, column: 4 },
      });
      expect(await send(`["${long}\\u0000"]`)).toMatchObject({ status: 400, path: '[0]' });
      expect(await send(`${'['.repeat(21)}"${long}"${']'.repeat(21)}`)).toMatchObject({ status: 400 });
      const many = `[${'{},'.repeat(2 * limit)}{}]`;
      expect(await send(many, '/v1/plans/preview')).toMatchObject({
        status: 400,
        detail: expect.stringContaining(`more than ${limit} values`),
      });
      // Of a comparison, whose configurations are texts, since it is read where stops are answered.
      expect(await send(many)).toMatchObject({
        status: 400,
        detail: expect.stringContaining('more than 100000 values'),
      });
      expect(await send(`{"a":\n"${long}", "a": 1}`)).toMatchObject({ status: 400, path: 'a', line: 2 });
    } finally {
      await large.close();
    }
  });

  it('that are long and of one team have two places, and take none of others', async () => {
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    const team = (name: string) => ({
      name,
      partition: 'default',
      queue: `root.${name}`,
      sha256: sha256(name),
    });
    const shared = await startSampleApp({ token, teamsFile: fileOfTeams([team('web'), team('research')]) });
    const path = (name: string) => `/v1/partitions/default/queues/root.${name}/config`;
    const held: ClientRequest[] = [];
    /** Announces a long body, and sends the beginning of it. */
    const hold = (name: string) =>
      new Promise<void>((resolve, reject) => {
        const outgoing = request({
          ...{ port: shared.port, method: 'PUT', path: path(name) },
          headers: {
            ...{ authorization: `Bearer ${name}`, expect: '100-continue' },
            ...{ 'content-type': 'text/plain', 'content-length': String(2 * limit) },
          },
        });
        held.push(outgoing);
        outgoing.on('continue', resolve);
        outgoing.on('error', reject);
        outgoing.flushHeaders();
      });
    const send = (bearer: string, name: string) =>
      fetch(shared.url + path(name), {
        ...{ method: 'PUT', body: 'y'.repeat(2 * limit) },
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'text/plain' },
      });
    try {
      await hold('web');
      await hold('web');
      const refused = await send('web', 'web');
      expect(await refused.json()).toMatchObject({
        status: 429,
        type: 'urn:curtail:problem:too-many-at-once',
      });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await send('research', 'research')).status).toBe(404);
      expect((await send(token, 'web')).status).toBe(404);
    } finally {
      for (const outgoing of held) outgoing.on('error', () => {}).destroy();
      await shared.close();
    }
  });

  it('of YAML and plain text keep the text that was sent', async () => {
    const text = 'partitions:\n  - name: default\n';
    for (const type of [
      ...['application/yaml', 'text/yaml; charset=utf-8', 'text/xml', 'text/plain'],
      ...['application/x-yt-yson-text', 'application/x-yt-yson-pretty'],
    ]) {
      expect(await (await put(text, type)).json()).toEqual({ kind: 'string', body: text });
    }
  });

  it('of JSON nested to the limit pass, one level deeper are refused', async () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect((await put(nested(20), 'application/json')).status).toBe(200);
    const refused = await put(nested(21), 'application/json');
    expect(refused.status).toBe(400);
    expect(((await refused.json()) as { detail: string }).detail).toContain('20 levels');
    expect((await put(JSON.stringify({ text: `\\"${'['.repeat(30)}` }), 'application/json')).status).toBe(
      200,
    );
  });

  it.each([
    ['of an unknown type', { type: 'application/x-www-form-urlencoded', headers: {} }],
    ['that are compressed', { type: 'application/json', headers: { 'content-encoding': 'gzip' } }],
  ])('%s are refused with the right form', async (_name, { type, headers }) => {
    const response = await put('{}', type, headers as Record<string, string>);
    expect(response.status).toBe(415);
    expect(await response.json()).toHaveProperty('remedy');
  });

  it.each(['text/plain', 'application/yaml', 'application/xml'])(
    'of routes that take JSON alone are refused as %s, with the type to send',
    async (type) => {
      const response = await fetch(`${sample.url}/v1/sample/checked`, {
        ...{ method: 'POST', body: '{"queue": "root", "limits": []}' },
        headers: { 'content-type': type },
      });
      expect(await response.json()).toMatchObject({
        ...{ status: 415, type: 'urn:curtail:problem:unknown-body-type' },
        detail: expect.stringContaining(`takes JSON alone, and the body is sent as ${type}`),
        remedy: 'Send it with a Content-Type of application/json.',
      });
    },
  );

  it('of Windows, in UTF-16, are read', async () => {
    const text = Buffer.from('größer: 1', 'utf16le');
    for (const sent of [Buffer.concat([Buffer.from([0xff, 0xfe]), text]), text]) {
      const answer = await put(new Uint8Array(sent), 'application/yaml');
      expect(await answer.json()).toEqual({ kind: 'string', body: 'größer: 1' });
    }
  });

  it('that are not UTF-8 are refused', async () => {
    expect((await put(new Uint8Array([0x22, 0xff, 0xfe, 0x22]), 'application/json')).status).toBe(400);
  });
});

describe('headers', () => {
  it('that are too many are refused', async () => {
    const headers = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`x-h${n}`, '1']));
    const answer = await rawRequest(sample.port, { path: '/healthz', headers });
    expect(answer.status).toBe(431);
    expect(JSON.parse(answer.body).type).toBe('urn:curtail:problem:too-many-headers');
  });

  it('that are too large are refused', async () => {
    const answer = await rawRequest(sample.port, {
      path: '/healthz',
      headers: { 'x-big': 'x'.repeat(20_000) },
    });
    expect(answer.status).toBe(431);
    expect(JSON.parse(answer.body).type).toBe('urn:curtail:problem:headers-too-large');
  });

  it('that are not HTTP get a problem as well', async () => {
    const answer = await rawBytes(sample.port, 'what is this\r\n\r\n');
    expect(answer).toContain('HTTP/1.1 400');
    expect(answer).toContain('application/problem+json');
  });
});

describe('times', () => {
  it('to send a request are limited, headers more than the rest', async () => {
    const slow = await startSampleApp({ requestTimeoutSeconds: 40 });
    try {
      const server: Server = slow.app.getHttpServer();
      expect(server.requestTimeout).toBe(40_000);
      expect(server.headersTimeout).toBe(15_000);
    } finally {
      await slow.close();
    }
  });
});

describe('rates', () => {
  it('are limited per minute over all routes, with the time to wait; probes are not', async () => {
    const limited = await startSampleApp({ rateLimitPerMinute: 5, writeRateLimitPerMinute: 0 });
    try {
      const statuses: number[] = [];
      for (let n = 0; n < 6; n++)
        statuses.push((await fetch(`${limited.url}/v1/sample/queues/q${n}`)).status);
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
      const refused = await fetch(`${limited.url}/nowhere`);
      expect(refused.headers.get('content-type')).toBe('application/problem+json');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await fetch(`${limited.url}/healthz`)).status).toBe(200);
    } finally {
      await limited.close();
    }
  });

  it('of changing requests have their own, lower limit', async () => {
    const limited = await startSampleApp({ writeRateLimitPerMinute: 2 });
    try {
      const write = () =>
        fetch(`${limited.url}/v1/sample/echo`, {
          method: 'PUT',
          body: '1',
          headers: { 'content-type': 'application/json' },
        });
      expect([(await write()).status, (await write()).status, (await write()).status]).toEqual([
        200, 200, 429,
      ]);
      expect((await fetch(`${limited.url}/v1/sample/queues/q`)).status).toBe(200);
    } finally {
      await limited.close();
    }
  });

  const get = async (url: string, headers: Record<string, string> = {}, path = '/v1/sample/queues/q') =>
    (await fetch(url + path, { headers })).status;

  it('of requests without the token are counted apart: they use up nothing of those that carry it', async () => {
    const limited = await startSampleApp({ token, rateLimitPerMinute: 3 });
    try {
      const withToken = { authorization: `Bearer ${token}` };
      for (let n = 0; n < 10; n++) expect(await get(limited.url)).toBe(401);
      const answered: number[] = [];
      for (let n = 0; n < 4; n++) answered.push(await get(limited.url, withToken));
      expect(answered).toEqual([200, 200, 200, 429]);
    } finally {
      await limited.close();
    }
  });

  it('do not limit stops, cancels and rejects', async () => {
    const limited = await startSampleApp({ rateLimitPerMinute: 1, writeRateLimitPerMinute: 1 });
    try {
      expect([await get(limited.url), await get(limited.url)]).toEqual([200, 429]);
      const send = async (method: string, path: string) =>
        (await fetch(limited.url + path, { method })).status;
      // Nothing here can be stopped.
      expect(await send('GET', '/v1/kill-switch')).toBe(404);
      expect(await send('POST', '/v1/kill-switch')).toBe(404);
      expect(await send('DELETE', '/v1/kill-switch?partition=default')).toBe(404);
      expect(await send('POST', '/v1/enforcements/e-1/cancel')).toBe(404);
      expect(await send('POST', '/v1/enforcements/e-1/reject')).toBe(404);
      expect(await send('POST', '/v1/enforcements/e-1/approve')).toBe(429);
    } finally {
      await limited.close();
    }
  });

  it('are those of the caller behind a trusted proxy, otherwise those of the proxy', async () => {
    const from = (address: string) => ({ 'x-forwarded-for': address });
    for (const [trustProxy, expected] of [
      [['loopback'], 200],
      [1, 200],
      [['10.0.0.1'], 429],
      [undefined, 429],
    ] as const) {
      const limited = await startSampleApp({
        rateLimitPerMinute: 1,
        trustProxy: typeof trustProxy === 'object' ? [...trustProxy] : trustProxy,
      });
      try {
        expect(await get(limited.url, from('192.0.2.1'))).toBe(200);
        expect(await get(limited.url, from('192.0.2.1'))).toBe(429);
        expect(await get(limited.url, from('192.0.2.2'))).toBe(expected);
      } finally {
        await limited.close();
      }
    }
  });
});
