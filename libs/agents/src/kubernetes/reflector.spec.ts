import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Recorded } from '../../../../test/support/recorded.js';
import { ApiError, type Call, type KubernetesApi, type WatchEvent } from './api.js';
import type { KubernetesObject } from './objects.js';
import { Reflector } from './reflector.js';

const one = (name: string, resourceVersion = '1'): KubernetesObject => ({
  metadata: { name, uid: `uid-${name}`, resourceVersion },
});
const page = (names: string[], version: string, more?: string) => ({
  metadata: { resourceVersion: version, continue: more },
  items: names.map((name) => one(name)),
});
type Asked = { kind: 'list' | 'watch'; query: NonNullable<Call['query']>; idleMs?: number };
/** The answer of the server to the next call of a kind. */
type Answer = () => unknown;

describe('a reflector', () => {
  let asked: Recorded<Asked>;
  let changes: Recorded<string>;
  let troubles: Recorded<Error>;
  let lists: Answer[];
  let watches: (() => AsyncGenerator<WatchEvent<KubernetesObject>>)[];
  let reflector: Reflector<KubernetesObject>;

  beforeEach(() => {
    asked = new Recorded();
    changes = new Recorded();
    troubles = new Recorded();
    lists = [];
    watches = [];
    const api = {
      async get(_path: string, { query = {} }: Call) {
        asked.add({ kind: 'list', query });
        return (lists.shift() ?? (() => page([], '1')))();
      },
      watch(
        _path: string,
        query: NonNullable<Call['query']>,
        { signal, idleMs, onOpen }: { signal: AbortSignal; idleMs: number; onOpen: () => void },
      ) {
        asked.add({ kind: 'watch', query, idleMs });
        onOpen();
        return (watches.shift() ?? (() => silence(signal)))();
      },
    };
    reflector = new Reflector(api as unknown as KubernetesApi, {
      path: '/api/v1/pods',
      keep: (object) => object,
      mirror: {
        replace: (all) => changes.add(`all: ${all.map(({ metadata }) => metadata.name).join(' ')}`),
        set: ({ metadata }) => {
          if (metadata.name === 'broken') throw new Error('it cannot be taken');
          changes.add(`set: ${metadata.name}`);
        },
        remove: ({ metadata }) => changes.add(`remove: ${metadata.name}`),
      },
      onTrouble: (error) => troubles.add(error),
    });
  });
  afterEach(() => reflector.stop());

  const watchOf = (nth: number) =>
    asked
      .when((all) => all.filter(({ kind }) => kind === 'watch').length >= nth)
      .then((all) => all.filter(({ kind }) => kind === 'watch')[nth - 1]!.query);

  it('lists in pages, and passes on all of them at once', async () => {
    lists = [() => page(['a'], '7', 'next-1'), () => page(['b'], '7', 'next-2'), () => page(['c'], '7')];
    await reflector.start();
    expect(changes.all).toEqual(['all: a b c']);
    expect(asked.all.slice(0, 3).map(({ query }) => query.continue)).toEqual([undefined, 'next-1', 'next-2']);
    expect(await watchOf(1)).toMatchObject({ resourceVersion: '7', allowWatchBookmarks: 'true' });
  });

  it('passes on nothing of a list with a missing page, and begins it again', async () => {
    const late = new Error('the page does not come');
    lists = [
      () => page(['a'], '7', 'next'),
      () => Promise.reject(late),
      () => page(['a'], '8', 'next'),
      () => page(['b'], '8'),
    ];
    await reflector.start();
    expect(changes.all).toEqual(['all: a b']);
    expect(troubles.all).toEqual([late]);
    expect(asked.all[2]?.query.continue).toBeUndefined();
  });

  it('leaves a server that has too much to do alone for as long as it asks (429 with Retry-After)', async () => {
    const askedMs = 700;
    lists = [
      () => Promise.reject(new ApiError(429, 'TooManyRequests', 'later', askedMs)),
      () => page([], '1'),
    ];
    const began = performance.now();
    await reflector.start();
    // Without a word it would have been a fifth of a second.
    expect(performance.now() - began).toBeGreaterThan(askedMs - 5);
    expect(troubles.all).toMatchObject([{ status: 429 }]);
  });

  it('lists again when the version of the next page has expired', async () => {
    lists = [() => page(['a'], '7', 'next'), () => Promise.reject(expired()), () => page(['a', 'b'], '9')];
    await reflector.start();
    expect(changes.all).toEqual(['all: a b']);
    expect(await watchOf(1)).toMatchObject({ resourceVersion: '9' });
  });

  it('continues where a watch has ended: after its last change or bookmark', async () => {
    lists = [() => page(['a'], '5')];
    watches = [
      () => events(change('MODIFIED', one('a', '6')), change('DELETED', one('a', '7'))),
      () => events(change('BOOKMARK', one('', '20'))),
    ];
    await reflector.start();
    expect([(await watchOf(1)).resourceVersion, (await watchOf(2)).resourceVersion]).toEqual(['5', '7']);
    expect(await watchOf(3)).toMatchObject({ resourceVersion: '20' });
    expect(changes.all).toEqual(['all: a', 'set: a', 'remove: a']);
    expect(troubles.all).toEqual([]);
  });

  it('believes a watch that brings nothing for half a minute, and the next one begins where it was', async () => {
    lists = [() => page(['a'], '5')];
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const current: boolean[] = [];
    watches = [
      async function* (): AsyncGenerator<WatchEvent<KubernetesObject>> {
        await ended;
        queueMicrotask(() => current.push(reflector.isCurrent));
      },
    ];
    await reflector.start();
    await watchOf(1);
    const [, first] = asked.all;
    expect(Number(first!.query.timeoutSeconds)).toBeLessThan(first!.idleMs! / 1000);
    expect(first!.idleMs).toBeLessThanOrEqual(30_000);
    end();
    expect(await watchOf(2)).toMatchObject({ resourceVersion: '5' });
    expect([...current, reflector.isCurrent]).toEqual([true, true]);
    expect(troubles.all).toEqual([]);
  });

  it('lists again after a 410 in a stream that began with 200, and removes nothing until then', async () => {
    lists = [() => page(['a', 'b'], '5'), () => page(['b'], '9')];
    watches = [
      () => events({ type: 'ERROR', object: { code: 410, reason: 'Expired', message: 'too old' } as never }),
    ];
    await reflector.start();
    expect(await watchOf(2)).toMatchObject({ resourceVersion: '9' });
    expect(changes.all).toEqual(['all: a b', 'all: b']);
    expect(troubles.all).toEqual([]);
  });

  it('lists again where the server knows no version so great: it was restored from a backup', async () => {
    lists = [() => page(['a', 'b'], '500'), () => page(['b'], '9')];
    const message = 'Timeout: Too large resource version: 500, current: 8';
    watches = [() => broken(new ApiError(504, 'Timeout', message))];
    await reflector.start();
    expect(await watchOf(2)).toMatchObject({ resourceVersion: '9' });
    expect(changes.all).toEqual(['all: a b', 'all: b']);
  });

  it('takes a change again that its mirror could not take', async () => {
    lists = [() => page(['a'], '5')];
    watches = [() => events(change('MODIFIED', one('a', '6')), change('MODIFIED', one('broken', '7')))];
    await reflector.start();
    expect(await watchOf(2)).toMatchObject({ resourceVersion: '6' });
    expect(troubles.all).toMatchObject([{ message: 'it cannot be taken' }]);
  });

  it('is not current while a watch is refused, reports why, and retries', async () => {
    lists = [() => page(['a'], '5')];
    const refused = new ApiError(403, 'Forbidden', 'no');
    watches = [() => broken(refused)];
    await reflector.start();
    await troubles.first(1);
    expect(reflector.isCurrent).toBe(false);
    await watchOf(2);
    expect(reflector.isCurrent).toBe(true);
    expect(troubles.all).toEqual([refused]);
  });
});

const expired = () => new ApiError(410, 'Expired', 'the continue parameter is too old');
const change = (type: WatchEvent<unknown>['type'], object: KubernetesObject) => ({ type, object });
async function* events(...all: WatchEvent<KubernetesObject>[]) {
  yield* all;
}
// biome-ignore lint/correctness/useYield: it breaks before
async function* broken(error: Error): AsyncGenerator<WatchEvent<KubernetesObject>> {
  throw error;
}
async function* silence(signal: AbortSignal): AsyncGenerator<WatchEvent<KubernetesObject>> {
  await new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}
