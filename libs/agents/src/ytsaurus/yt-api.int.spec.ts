import type { ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeAuthority } from '../../../../scripts/infra/index.js';
import { FakeYtsaurus, type Trouble, YtFault } from '../../../../test/clusters/ytsaurus/fake-ytsaurus.js';
import { takeLook } from './look.js';
import { chooseTree } from './pool-tree.js';
import { YtApi } from './yt-api.js';

describe('the API of YTsaurus', () => {
  let fake: FakeYtsaurus;
  let api: YtApi;
  let token: string;
  beforeEach(async () => {
    fake = await new FakeYtsaurus().up();
    fake.world.addTree('physical');
    token = 't';
    api = new YtApi({ url: fake.url, token: async () => token, largestAnswer: 1_000_000 });
  });
  afterEach(async () => {
    api.close();
    await fake.down();
  });

  const sends = (
    status: number,
    type: string,
    text: string | Buffer,
    headers: Record<string, string> = {},
  ): Trouble => ({
    instead: (response: ServerResponse) => {
      response.writeHead(status, { 'content-type': type, ...headers }).end(text);
    },
  });
  const page = '<!doctype html><html><head><title>Sign in</title></head></html>';

  it('is asked by HTTPS with a certificate of a private authority, if that is given', async () => {
    const authority = await makeAuthority();
    const { cert, key } = await authority.issue('proxy');
    const server = createSecureServer({ cert, key }, (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('["physical"]');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const [known, unknown] = [new YtApi({ url, ca: authority.ca }), new YtApi({ url })];
    try {
      expect(await chooseTree(known, 'physical')).toBe('physical');
      await expect(chooseTree(unknown, 'physical')).rejects.toThrow(
        /cannot be reached: UNABLE_TO_VERIFY.*CURTAIL_YTSAURUS_CA/,
      );
    } finally {
      known.close();
      unknown.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it.each<[what: string, trouble: Trouble, code: string, message: RegExp]>([
    [
      'a page',
      sends(200, 'text/html', page),
      'no-json',
      /answers 200 with a page of HTML: "Sign in"\. Give the address of a proxy of YTsaurus/,
    ],
    ['a page without a type', sends(200, 'text/plain', page), 'no-json', /page of HTML/],
    [
      'a login page',
      sends(302, 'text/html', '', { location: 'https://login.example/' }),
      'redirected',
      /redirects to https:\/\/login.example\/, as login pages do/,
    ],
    [
      '401',
      sends(401, 'application/json', '{"code":900,"message":"Invalid token"}'),
      'not-authenticated',
      /answers 401, the caller is not known: "Invalid token"\. Check that the token in the file of --ytsaurus-token-file/,
    ],
    [
      '403',
      { fault: new YtFault(901, 'Access denied for user "curtail"') },
      'forbidden',
      /is refused: ".*Access denied for user \\"curtail\\""/,
    ],
    [
      'no JSON',
      sends(200, 'application/json', '{"operations": ['),
      'no-json',
      /no JSON, or with the beginning of one/,
    ],
    [
      'an error in trailers',
      { fault: new YtFault(1, 'outer', [new YtFault(1915, 'inner')]), inTrailers: true },
      'refused',
      /"outer: inner"/,
    ],
    ['a body that ends early', { truncated: true }, 'no-answer', /broke off/],
    ['404', sends(404, 'text/plain', 'Not found'), 'refused', /answers 404: "Not found"\. Give the address/],
  ])('names the address and the remedy for %s', async (_what, trouble, code, message) => {
    fake.trouble = () => trouble;
    const failed = api.get('//sys/pool_trees');
    await expect(failed).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    await expect(failed).rejects.toMatchObject({ message: expect.stringContaining('127.0.0.1') });
  });

  it('names the time within which no answer came', async () => {
    fake.trouble = () => ({ afterMs: 1500 });
    const hasty = new YtApi({ url: fake.url, token: async () => token, answerMs: 50 });
    await expect(hasty.get('//sys/pool_trees')).rejects.toMatchObject({
      code: 'no-answer',
      message: expect.stringMatching(/127\.0\.0\.1.* has not answered in 0\.05 s/),
    });
    hasty.close();
  });

  it('asks for long answers as gzip, and reads one again only when it has changed', async () => {
    const readings: unknown[] = [];
    const read = () =>
      api.readKept('get', { path: '//sys/pool_trees/@default_tree', return_only_value: true }, (answer) => {
        readings.push(answer);
        return { answer };
      });
    const first = await read();
    expect(await read()).toBe(first);
    expect(readings).toEqual(['physical']);
    fake.trouble = () => sends(200, 'application/json', gzipSync('"cloud"'), { 'content-encoding': 'gzip' });
    expect(await read()).toEqual({ answer: 'cloud' });
    // A proxy that packs nothing is understood as well.
    fake.trouble = () => sends(200, 'application/json', '"plain"');
    expect(await read()).toEqual({ answer: 'plain' });
  });

  const packed = (body: Buffer, coding = 'gzip') =>
    sends(200, 'application/json', body, { 'content-encoding': coding });
  it.each<[what: string, trouble: Trouble, code: string, message: RegExp]>([
    ['half a gzip', packed(gzipSync('"physical"').subarray(0, 20)), 'no-answer', /its gzip is not whole/],
    ['no gzip', packed(Buffer.from('"physical"')), 'no-answer', /its gzip is not whole/],
    [
      'a gzip of too much',
      packed(gzipSync(Buffer.alloc(1_000_001, ' '))),
      'too-large',
      /above 1000000 bytes/,
    ],
    ['another coding', packed(Buffer.from('?'), 'br'), 'no-answer', /has the coding br, which was not asked/],
  ])('concludes nothing from %s', async (_what, trouble, code, message) => {
    fake.trouble = () => trouble;
    const failed = api.readKept('get', { path: '//sys/pool_trees' }, (answer) => answer);
    await expect(failed).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    await expect(failed).rejects.toMatchObject({ message: expect.stringContaining('127.0.0.1') });
  });

  it('finds codes in nested errors, and repeats reads only where it may pass', async () => {
    let asked = 0;
    fake.trouble = () => {
      asked++;
      return {
        fault: new YtFault(1, 'a', [new YtFault(2, 'b', [new YtFault(904, 'too many requests')])], 429),
      };
    };
    await expect(api.get('//sys/pool_trees')).rejects.toMatchObject({ codes: new Set([1, 2, 904]) });
    expect(asked).toBe(3);
    fake.trouble = () => {
      asked++;
      return { fault: new YtFault(1, 'a', [new YtFault(901, 'no')]) };
    };
    await expect(api.get('//sys/pool_trees')).rejects.toMatchObject({ code: 'forbidden' });
    expect(asked).toBe(4);
  });

  it('reads the token again when it is refused, and asks the next proxy when one is down', async () => {
    fake.users.clear();
    fake.users.set('renewed', 'curtail');
    const both = new YtApi({ url: `http://127.0.0.1:1,${fake.url}`, token: async () => token });
    const old = both.get('//sys/pool_trees/@default_tree');
    await expect(old).rejects.toMatchObject({ code: 'not-authenticated' });
    token = 'renewed';
    await expect(both.get('//sys/pool_trees/@default_tree')).resolves.toBe('physical');
    expect(both.url).toBe(fake.url);
    both.close();
  });

  it('chooses the named tree, the default one or the only one, and names those there are', async () => {
    fake.world.addTree('cloud');
    await expect(chooseTree(api, undefined)).resolves.toBe('physical');
    await expect(chooseTree(api, 'cloud')).resolves.toBe('cloud');
    await expect(chooseTree(api, 'clod')).rejects.toMatchObject({
      code: 'no-tree',
      message: expect.stringMatching(
        /has no pool tree clod: it has physical, cloud\. Name one with --ytsaurus-tree/,
      ),
    });
  });

  it('concludes nothing while the scheduler is disconnected', async () => {
    fake.world.connected = false;
    const look = takeLook(api, undefined, { tree: 'physical', elapsed: () => 0, listAgainMs: 30_000 });
    await expect(look).rejects.toMatchObject({
      code: 'scheduler-disconnected',
      message: expect.stringMatching(/is not connected to its masters .* old\. Wait/),
    });
  });
});
