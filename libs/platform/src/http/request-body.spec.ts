import { afterAll, describe, expect, it } from '@jest/globals';
import { ownWork } from './client.js';
import { JsonInThread } from './request-body.js';

const typescript = new URL('../../../../test/support/typescript.mjs', import.meta.url);

describe('long JSON', () => {
  const left = new AbortController();
  const apart = new JsonInThread({
    file: new URL('./json-thread.ts', import.meta.url),
    execArgv: ['--import', typescript.href],
  });
  afterAll(() => left.abort());
  const check = (text: string) => apart.check({ text, depth: 5, values: 10 }, ownWork);

  it('comes out of the thread as a text without white space around its values', async () => {
    expect((await check('{ "a b": [1,\n 2.50] }')).text).toBe('{"a b":[1,2.5]}');
  });

  it('comes out the same beside a configuration that is known', async () => {
    const ofConfiguration = (text: string) =>
      apart.check({ text, depth: 5, values: 100 }, ownWork, true).then((json) => json.text);
    expect(await ofConfiguration('{"a":[{"b":1}, {"c":2}]}')).toBe('{"a":[{"b":1},{"c":2}]}');
    expect(await ofConfiguration('{"a":[{"b":1},{"c":3}]}')).toBe('{"a":[{"b":1},{"c":3}]}');
    expect(await ofConfiguration('{"a":[{"b":1},{"c": 4}]}')).toBe('{"a":[{"b":1},{"c":4}]}');
    await expect(ofConfiguration('{"a":[{"b":1},{"c":4,"c":4}]}')).rejects.toMatchObject({ path: 'a[1].c' });
    await expect(ofConfiguration('{"a":[{"b":1},{"c":4 5}]}')).rejects.toMatchObject({ column: 22 });
  });

  it.each([
    ['[1,\n2 3]', { line: 2, column: 3 }],
    ['[[[[[[1]]]]]]', { message: expect.stringContaining('5 levels') }],
    ['[1,1,1,1,1,1,1,1,1,1]', { message: expect.stringContaining('10 values') }],
    ['{"a": {"b": "\\u0000"}}', { path: 'a.b', message: expect.stringContaining('NUL') }],
  ])('has its fault with its place: %j', async (text, fault) => {
    await expect(check(text)).rejects.toMatchObject({ name: 'InputError', ...fault });
  });
});
