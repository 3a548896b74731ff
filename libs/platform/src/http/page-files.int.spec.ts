import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SampleApp, startSampleApp } from '../testing/sample-app.js';

describe('a page', () => {
  let folder: string;
  let sample: SampleApp;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'curtail-page-'));
    await mkdir(join(folder, 'assets'));
    await writeFile(join(folder, 'index.html'), '<meta name="csp-nonce" content="{{nonce}}"><p>the page</p>');
    await writeFile(join(folder, 'assets', 'main-1.js'), 'export {};');
    sample = await startSampleApp({ token: 'correct-horse-battery' }, folder);
  });
  afterAll(async () => {
    await sample.close();
    await rm(folder, { recursive: true });
  });
  const get = (path: string) => fetch(sample.url + path, { redirect: 'manual' });

  it('is shown without the token, for the address of each view', async () => {
    for (const path of ['/ui/', '/ui/runs/e-1', '/ui/queues/root.a.b', '/ui/log?partition=x']) {
      const answer = await get(path);
      expect({ path, status: answer.status }).toEqual({ path, status: 200 });
      expect(await answer.text()).toContain('the page');
    }
    expect((await get('/')).headers.get('location')).toBe('/ui/');
    expect((await get('/ui')).headers.get('location')).toBe('/ui/');
  });

  it('lets only its own files run, and styles with a nonce of this one answer', async () => {
    const answers = await Promise.all([get('/ui/'), get('/ui/')]);
    const nonces = await Promise.all(
      answers.map(async (answer) => {
        const policy = answer.headers.get('content-security-policy') ?? '';
        expect(policy).toContain("script-src 'self';");
        expect(policy).not.toContain('unsafe');
        const nonce = /content="([^"]+)"/.exec(await answer.text())?.[1];
        expect(policy).toContain(`style-src 'self' 'nonce-${nonce}'`);
        return nonce;
      }),
    );
    expect(nonces[0]).not.toBe(nonces[1]);
  });

  it('lets browsers keep files whose names change with their content, and not the page', async () => {
    const script = await get('/ui/assets/main-1.js');
    expect(script.headers.get('cache-control')).toContain('immutable');
    expect(script.headers.get('content-type')).toContain('javascript');
    expect((await get('/ui/')).headers.get('cache-control')).toBe('no-store');
  });

  it('answers a missing file as missing, not with the page', async () => {
    expect((await get('/ui/assets/main-0.js')).status).toBe(404);
  });

  it('opens nothing else without the token', async () => {
    const paths = [
      '/uix',
      '/ui/../v1/sample/queues/q',
      '/v1/sample/queues/q',
      '/ui/%2e%2e/v1/sample/queues/q',
    ];
    for (const path of paths) {
      const answer = await get(path);
      expect({ path, is: answer.status === 401 || (await answer.text()).includes('the page') }).toEqual({
        path,
        is: true,
      });
    }
    expect((await fetch(`${sample.url}/ui/`, { method: 'POST' })).status).toBe(401);
  });
});
