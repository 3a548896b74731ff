import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SampleApp, startSampleApp } from '../testing/sample-app.js';
import type { Problem } from './problem.js';

let sample: SampleApp;
beforeAll(async () => {
  sample = await startSampleApp();
});
afterAll(() => sample.close());

async function ask(path: string, init?: RequestInit): Promise<{ response: Response; problem: Problem }> {
  const response = await fetch(sample.url + path, init);
  return { response, problem: (await response.json()) as Problem };
}
const send = (path: string, body: string, type = 'application/json', method = 'PUT') =>
  ask(path, { method, body, headers: { 'content-type': type } });

describe('problem details', () => {
  it('report a bad input with its place', async () => {
    const { response, problem } = await ask('/v1/sample/input-error');
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(problem).toEqual({
      type: 'urn:curtail:problem:bad-input',
      title: 'The input cannot be used',
      status: 400,
      detail: 'is negative; give 0 or more',
      path: 'queues[2].max',
      line: 7,
      column: 3,
      errors: [{ path: 'queues[2].max', message: 'is negative; give 0 or more', line: 7, column: 3 }],
      requestId: response.headers.get('x-request-id'),
    });
  });

  it('list all errors of an input', async () => {
    const { problem } = await ask('/v1/sample/refused');
    expect(problem.errors?.map(({ path }) => path)).toEqual(['a', 'b']);
    expect(problem.detail).toBe('2 errors in the input.');
  });

  it('report violations of a schema by the path of the field', async () => {
    const body = JSON.stringify({ queue: 1, limits: [{ max: 1 }, { max: 'x' }] });
    const { response, problem } = await send('/v1/sample/checked', body, 'application/json', 'POST');
    expect(response.status).toBe(400);
    expect(problem.errors?.map(({ path }) => path)).toEqual(['queue', 'limits[1].max']);
  });

  it('report malformed JSON with line and column', async () => {
    const { response, problem } = await send('/v1/sample/echo', '{\n  "a": 1,\n  "b" 2\n}');
    expect(response.status).toBe(400);
    expect(problem).toMatchObject({ line: 3, column: 7 });
    expect(problem.detail).toContain('not JSON');
  });

  it('report an unknown route, with a remedy', async () => {
    const { response, problem } = await ask('/v1/nothing?x=1');
    expect(response.status).toBe(404);
    expect(problem).toMatchObject({ type: 'urn:curtail:problem:unknown-route', status: 404 });
    expect(problem.detail).toContain('GET /v1/nothing');
    expect(problem.remedy).toContain('/docs');
  });

  it('report an address that cannot be decoded as an error of the caller', async () => {
    const { response, problem } = await ask('/v1/sample/queues/%E0%A4');
    expect(response.status).toBe(400);
    expect(problem.status).toBe(400);
  });

  it.each(['fault', 'zod-fault', 'own-500'])(
    'keep a fault of ours (%s) to the log, under the id',
    async (path) => {
      const before = sample.lines.length;
      const { response, problem } = await ask(`/v1/sample/${path}`);
      expect(response.status).toBe(500);
      expect(problem.type).toBe('urn:curtail:problem:internal');
      expect(JSON.stringify(problem)).not.toMatch(/postgres|timers|expected string|stack/i);
      const logged = sample.lines.slice(before).join('');
      expect(logged).toContain(problem.requestId!);
      expect(logged).not.toContain('hunter22');
      expect(problem.remedy).toContain('request id');
    },
  );

  it('carry the id of the caller only if it is harmless', async () => {
    const given = await fetch(`${sample.url}/healthz`, { headers: { 'x-request-id': 'deploy-17' } });
    expect(given.headers.get('x-request-id')).toBe('deploy-17');
    const bad = await fetch(`${sample.url}/healthz`, { headers: { 'x-request-id': '"><script>' } });
    expect(bad.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});
