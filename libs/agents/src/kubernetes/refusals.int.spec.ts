import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { KubernetesApi } from './api.js';
import { PodEvictor } from './evictor.js';

/** Answers of an API server in trouble, which a test cannot provoke with a real one. */
let server: Server;
let api: KubernetesApi;
let folder: string;
let answer: RequestListener;
let asked: string[];

beforeEach(async () => {
  asked = [];
  folder = await mkdtemp(join(tmpdir(), 'curtail-refusals-'));
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url?.split('?')[0]}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const kubeconfig = join(folder, 'kubeconfig');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await writeFile(
    kubeconfig,
    JSON.stringify({
      clusters: [{ name: 'c', cluster: { server: url, 'insecure-skip-tls-verify': true } }],
      contexts: [{ name: 'c', context: { cluster: 'c', user: '' } }],
      'current-context': 'c',
    }),
  );
  api = KubernetesApi.open({ kubeconfig });
});
afterEach(async () => {
  api.close();
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  await rm(folder, { recursive: true });
});

const status = (code: number, message: string, more: object = {}) =>
  JSON.stringify({ kind: 'Status', status: 'Failure', code, message, ...more });

describe('an eviction that the API server cannot take now', () => {
  const evict = (hasBudget = false, isValid = () => true) =>
    new PodEvictor(api, {
      mode: () => 'enforce',
      find: () => ({ uid: 'uid-1', version: '1', graceSeconds: 1 }) as never,
      isProtected: () => false,
      hasBudget: () => hasBudget,
      onNotifyFailed: () => {},
      newName: () => 'name',
      now: () => new Date(0),
    }).evict(
      {
        partition: 'default',
        evictionId: 'kill-1',
        attempt: 1,
        allocation: 'team-a/web-0',
        uid: 'uid-1',
        application: 'web',
        queue: 'root.team-a',
        graceSeconds: 1,
        reason: 'The quota was lowered.',
        deadlineAt: '2100-01-01T00:00:00Z',
      },
      isValid,
    );

  it.each([
    ['429 with Retry-After: then', 429, '7', 'too-many-requests', 7000],
    ['429 without: soon', 429, undefined, 'too-many-requests', 2000],
    ['429 with a time of years: in a day', 429, '99999999', 'too-many-requests', 86_400_000],
    ['500: soon', 500, undefined, 'server-error', 2000],
    ['503 with Retry-After: then', 503, '30', 'server-error', 30_000],
    ['504: soon', 504, undefined, 'server-error', 2000],
  ])('is to be asked for again after %s', async (_, code, retryAfter, refusal, retryAfterMs) => {
    answer = (_, response) =>
      response
        .writeHead(code, retryAfter ? { 'retry-after': retryAfter } : {})
        .end(status(code, 'not now, please'));
    expect(await evict()).toEqual({
      answer: 'refused',
      retryable: true,
      code: refusal,
      message: 'not now, please',
      retryAfterMs,
    });
    expect(asked).toEqual(['POST /api/v1/namespaces/team-a/pods/web-0/eviction']);
  });

  it.each([
    ['of a proxy', '404 page not found'],
    [
      'of something else',
      status(404, 'not found', { reason: 'NotFound', details: { name: 'team-a', kind: 'namespaces' } }),
    ],
    [
      'of another pod',
      status(404, 'not found', { reason: 'NotFound', details: { name: 'web-1', kind: 'pods' } }),
    ],
    [
      'of a server without the resource',
      status(404, 'the server could not find the requested resource', { reason: 'NotFound', details: {} }),
    ],
  ])('is not taken for carried out by a 404 %s', async (_, body) => {
    answer = (_, response) => response.writeHead(404).end(body);
    expect(await evict()).toMatchObject({ answer: 'refused', retryable: true, code: 'server-error' });
  });

  it('found the pod gone when the 404 names it', async () => {
    const details = { name: 'web-0', kind: 'pods' };
    answer = (_, response) =>
      response.writeHead(404).end(status(404, 'gone', { reason: 'NotFound', details }));
    expect(await evict()).toEqual({ answer: 'gone' });
  });

  it('is to be asked for again when a proxy answers in its place', async () => {
    answer = (_, response) => response.writeHead(502).end('<html>Bad Gateway</html>');
    expect(await evict()).toMatchObject({ answer: 'refused', retryable: true, code: 'server-error' });
  });

  it('is not requested once the time of the request is over: Curtail has gone on without it', async () => {
    let isValid = true;
    answer = (_, response) => {
      isValid = false;
      response.writeHead(201).end('{}');
    };
    await expect(evict(true, () => isValid)).rejects.toThrow('its time is over');
    // The rehearsal.
    expect(asked).toEqual(['POST /api/v1/namespaces/team-a/pods/web-0/eviction']);
  });

  it('is not requested if its time is over when there is a connection', async () => {
    let checks = 0;
    await expect(evict(false, () => ++checks === 1)).rejects.toThrow('its time is over');
    expect(asked).toEqual([]);
  });

  it('has no answer when the connection breaks: it may have been taken', async () => {
    answer = (request) => request.socket.destroy();
    await expect(evict()).rejects.toThrow('socket hang up');
  });
});

describe('a watch or a list that is refused', () => {
  const watch = async () => {
    const { signal } = new AbortController();
    for await (const event of api.watch(
      '/api/v1/pods',
      {},
      { signal, idleMs: 1000, opensWithinMs: 1000, onOpen: () => {} },
    )) {
      throw new Error(`nothing was to come, not ${event.type}`);
    }
  };

  it.each([
    ['watch', () => watch()],
    ['list', () => api.get('/api/v1/pods')],
  ])('%s: reports how long the server wants callers to wait', async (_, ask) => {
    answer = (_, response) => response.writeHead(429, { 'retry-after': '3' }).end(status(429, 'too many'));
    await expect(ask()).rejects.toMatchObject({
      name: 'ApiError',
      status: 429,
      retryAfterMs: 3000,
      message: 'the API server answered 429 to /api/v1/pods: too many',
    });
  });

  it('is given up when the server accepts it and does not answer', async () => {
    answer = () => {};
    await expect(watch()).rejects.toThrow('nothing arrived for 1 s');
  });

  it('is reported as broken off when its answer ends in the middle', async () => {
    answer = (_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"type":"ADD');
      setImmediate(() => response.destroy());
    };
    await expect(watch()).rejects.toThrow('aborted');
    await expect(api.get('/api/v1/pods')).rejects.toThrow('aborted');
  });
});
