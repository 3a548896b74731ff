import { describe, expect, it } from '@jest/globals';
import type { CallingClient } from '../http/client.js';
import { Turns } from './turns.js';

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

const client = (name: string, gone = new AbortController().signal, isOperator = true): CallingClient => ({
  ...{ name, isOperator, gone },
});
const ann = client('ann');
/** As many as `all`, whoever sends them. */
const atMost = (all: number) => ({ all, kept: 0, each: all });

describe('work that is done one at a time', () => {
  it('is done in the order of the requests, and continues after a failure', async () => {
    const { begun, ends, piece } = pieces();
    const turns = new Turns('previews', atMost(3));
    const [first, second, third] = ['a', 'b', 'c'].map((name) => turns.run(piece(name), ann));
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
    const turns = new Turns('previews', atMost(2));
    const waiting = ['a', 'b'].map((name) => turns.run(piece(name), ann));
    await expect(turns.run(piece('c'), ann)).rejects.toMatchObject({
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
    const again = turns.run(piece('d'), ann);
    ends.get('b')?.();
    await settled();
    ends.get('b')!();
    await settled();
    ends.get('d')!();
    expect(await again).toBe('d');
  });

  it('gets no turn once its caller has left, and makes room at once', async () => {
    const { begun, ends, piece } = pieces();
    const turns = new Turns('previews', atMost(2));
    const first = turns.run(piece('a'), ann);
    const left = new AbortController();
    const second = turns.run(piece('b'), client('ann', left.signal));
    await settled();
    left.abort(new Error('left'));
    await expect(second).rejects.toThrow('left');
    const third = turns.run(piece('c'), ann);
    ends.get('a')!();
    await first;
    await settled();
    expect(begun).toEqual(['a', 'c']);
    ends.get('c')!();
    await third;
  });

  it('keeps the next waiting until it has ended, even if its caller leaves while it runs', async () => {
    const { begun, ends, piece } = pieces();
    const turns = new Turns('previews', atMost(2));
    const left = new AbortController();
    const first = turns.run(piece('a'), client('ann', left.signal));
    const second = turns.run(piece('b'), ann);
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

  it('is done in turns of the callers, however many requests one of them has', async () => {
    const { begun, ends, piece } = pieces();
    const turns = new Turns('previews', atMost(9));
    const of = { ann, bob: client('bob'), eve: client('eve') };
    const asked = [
      ...['a1', 'a2', 'a3', 'a4'].map((name) => turns.run(piece(name), of.ann)),
      ...['b1', 'b2'].map((name) => turns.run(piece(name), of.bob)),
      turns.run(piece('e1'), of.eve),
    ];
    for (let done = 0; done < asked.length; done++) {
      await settled();
      ends.get(begun[done]!)!();
    }
    await Promise.all(asked);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'e1', 'a3', 'b2', 'a4']);
  });

  it('of one caller that is no operator is limited, and leaves room for others', async () => {
    const { ends, piece } = pieces();
    const turns = new Turns('previews', { all: 4, kept: 1, each: 2 });
    const team = (name: string) => client(name, undefined, false);
    const first = turns.run(piece('a1'), team('a'));
    const second = turns.run(piece('a2'), team('a'));
    await expect(turns.run(piece('a3'), team('a'))).rejects.toMatchObject({
      problem: { type: 'urn:curtail:problem:too-many-at-once', status: 429 },
      headers: { 'Retry-After': '5' },
    });
    const third = turns.run(piece('b1'), team('b'));
    await expect(turns.run(piece('c1'), team('c'))).rejects.toMatchObject({ problem: { status: 503 } });
    const kept = turns.run(piece('o1'), ann);
    await expect(turns.run(piece('o2'), ann)).rejects.toMatchObject({ problem: { status: 503 } });
    for (const name of ['a1', 'a2', 'b1', 'o1']) {
      await settled();
      ends.get(name)!();
    }
    await Promise.all([first, second, third, kept]);
  });

  it('of several at once leaves some for others, and more of a caller is done as its own ends', async () => {
    const { begun, ends, piece } = pieces();
    const turns = new Turns('readings', atMost(9), { all: 3, each: 2 });
    const bob = client('bob');
    const asked = [
      ...['a1', 'a2', 'a3', 'a4'].map((name) => turns.run(piece(name), ann)),
      ...['b1', 'b2'].map((name) => turns.run(piece(name), bob)),
    ];
    await settled();
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    ends.get('b1')!();
    await settled();
    // The third of ann would be one too many of hers.
    expect(begun.slice(3)).toEqual(['b2']);
    ends.get('a2')!(new Error('no'));
    await expect(asked[1]).rejects.toThrow('no');
    await settled();
    expect(begun.slice(4)).toEqual(['a3']);
    for (const name of ['a1', 'a3', 'b2', 'a4']) {
      await settled();
      ends.get(name)!();
    }
    await Promise.all(asked.toSpliced(1, 1));
  });
});
