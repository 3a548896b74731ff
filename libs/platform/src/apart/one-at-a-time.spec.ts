import { describe, expect, it } from '@jest/globals';
import { OneAtATime } from './one-at-a-time.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Work that the test ends, and that reports when it begins. */
function pieces() {
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const piece = (name: string) => () =>
    new Promise<string>((resolve, reject) => {
      begun.push(name);
      ends.set(name, (error) => (error ? reject(error) : resolve(name)));
    });
  return { begun, ends, piece };
}

describe('work that is done one at a time', () => {
  it('is done in the order of the requests, and continues after a failure', async () => {
    const { begun, ends, piece } = pieces();
    const turns = new OneAtATime('previews', 3);
    const [first, second, third] = ['a', 'b', 'c'].map((name) => turns.run(piece(name)));
    await settled();
    expect(begun).toEqual(['a']);
    ends.get('a')!(new Error('no'));
    await expect(first).rejects.toThrow('no');
    await settled();
    expect(begun).toEqual(['a', 'b']);
    ends.get('b')!();
    expect(await second).toBe('b');
    await settled();
    ends.get('c')!();
    expect(await third).toBe('c');
  });

  it('is rejected while too much of it waits, and accepted again afterwards', async () => {
    const { ends, piece } = pieces();
    const turns = new OneAtATime('previews', 2);
    const waiting = ['a', 'b'].map((name) => turns.run(piece(name)));
    await expect(turns.run(piece('c'))).rejects.toMatchObject({
      problem: {
        type: 'urn:curtail:problem:busy',
        status: 503,
        detail: '2 previews are in progress or waiting.',
      },
      headers: { 'Retry-After': '5' },
    });
    await settled();
    ends.get('a')!();
    await waiting[0];
    const again = turns.run(piece('d'));
    ends.get('b')?.();
    await settled();
    ends.get('b')!();
    await settled();
    ends.get('d')!();
    expect(await again).toBe('d');
  });

  it('gets no turn once its caller has left, and makes room at once', async () => {
    const { begun, ends, piece } = pieces();
    const turns = new OneAtATime('previews', 2);
    const first = turns.run(piece('a'));
    const left = new AbortController();
    const second = turns.run(piece('b'), left.signal);
    await settled();
    left.abort(new Error('left'));
    await expect(second).rejects.toThrow('left');
    const third = turns.run(piece('c'));
    ends.get('a')!();
    await first;
    await settled();
    expect(begun).toEqual(['a', 'c']);
    ends.get('c')!();
    await third;
  });

  it('keeps the next waiting until it has ended, even if its caller leaves while it runs', async () => {
    const { begun, ends, piece } = pieces();
    const turns = new OneAtATime('previews', 2);
    const left = new AbortController();
    const first = turns.run(piece('a'), left.signal);
    const second = turns.run(piece('b'));
    await settled();
    left.abort(new Error('left'));
    await expect(first).rejects.toThrow('left');
    await settled();
    expect(begun).toEqual(['a']);
    ends.get('a')!();
    await settled();
    expect(begun).toEqual(['a', 'b']);
    ends.get('b')!();
    await second;
  });
});
