import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SampleApp, startSampleApp } from '../testing/sample-app.js';

describe('a page', () => {
  let folder: string;
  let sample: SampleApp;
  const large = 'export {};'.repeat(1000);
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'curtail-page-'));
    await mkdir(join(folder, 'assets'));
    await writeFile(join(folder, 'index.html'), '<meta name="csp-nonce" content="{{nonce}}"><p>the page</p>');
    await writeFile(join(folder, 'assets', 'main-1.js'), 'export {};');
    await writeFile(join(folder, 'assets', 'large-1.js'), large);
    await writeFile(join(folder, 'assets', 'large-1.js.gz'), gzipSync(large));
    sample = await startSampleApp({ token: 'correct-horse-battery' }, folder);
  });
  afterAll(async () => {
    await sample.close();
    await rm(folder, { recursive: true });
  });
  const read = (path: string) => fetch(sample.url + path, { redirect: 'manual' });

  it('is shown without the token, for the address of each view', async () => {
    for (const path of ['/ui/', '/ui/runs/e-1', '/ui/queues/root.a.b', '/ui/log?partition=x']) {
      const answer = await read(path);
      expect({ path, status: answer.status }).toEqual({ path, status: 200 });
      expect(await answer.text()).toContain('the page');
    }
    expect((await read('/')).headers.get('location')).toBe('/ui/');
    expect((await read('/ui')).headers.get('location')).toBe('/ui/');
  });

  it('lets only its own files run, and styles with a nonce of this one answer', async () => {
    const answers = await Promise.all([read('/ui/'), read('/ui/')]);
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
    const script = await read('/ui/assets/main-1.js');
    expect(script.headers.get('cache-control')).toContain('immutable');
    expect(script.headers.get('content-type')).toContain('javascript');
    expect((await read('/ui/')).headers.get('cache-control')).toBe('no-store');
  });

  it('sends a file compressed, as it was built, to browsers that accept it', async () => {
    const address = new URL('/ui/assets/large-1.js', sample.url);
    const received = async (encoding: string) => {
      const request = get(address, { headers: { 'accept-encoding': encoding } });
      const [answer] = (await once(request, 'response')) as [IncomingMessage];
      const body = Buffer.concat(await answer.toArray());
      const {
        'content-encoding': packed,
        'content-type': type,
        vary,
        'cache-control': kept,
      } = answer.headers;
      expect({ type, vary, kept }).toEqual({
        type: expect.stringContaining('javascript'),
        vary: 'Accept-Encoding',
        kept: expect.stringContaining('immutable'),
      });
      return { packed, text: (packed ? gunzipSync(body) : body).toString() };
    };
    expect(await received('br, gzip')).toEqual({ packed: 'gzip', text: large });
    expect(await received('identity')).toEqual({ packed: undefined, text: large });
  });

  it('answers a missing file as missing, not with the page', async () => {
    expect((await read('/ui/assets/main-0.js')).status).toBe(404);
  });

  it('opens nothing else without the token', async () => {
    const paths = [
      '/uix',
      '/ui/../v1/sample/queues/q',
      '/v1/sample/queues/q',
      '/ui/%2e%2e/v1/sample/queues/q',
    ];
    for (const path of paths) {
      const answer = await read(path);
      expect({ path, is: answer.status === 401 || (await answer.text()).includes('the page') }).toEqual({
        path,
        is: true,
      });
    }
    expect((await fetch(`${sample.url}/ui/`, { method: 'POST' })).status).toBe(401);
  });
});
