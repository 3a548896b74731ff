import { describe, expect, it } from '@jest/globals';
import { SharedReads } from './shared-reads.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));
const never = new AbortController().signal;

/** Reads that the test ends; each answers with its number. */
function reads() {
  const begun: AbortSignal[] = [];
  const ends: (() => void)[] = [];
  const read = (signal: AbortSignal) =>
    new Promise<number>((resolve) => {
      const number = begun.push(signal);
      ends.push(() => resolve(number));
    });
  return { begun, ends, read };
}

describe('reads that are shared', () => {
  it('answer each question with a read that began after it, and all questions of a time with one', async () => {
    const { begun, ends, read } = reads();
    const shared = new SharedReads<number>();
    const ask = () => shared.ask('all', { lane: 'a', ms: 60_000, gone: never }, read);
    const first = ask();
    await settled();
    const others = [ask(), ask(), ask()];
    await settled();
    expect(begun).toHaveLength(1);
    ends[0]!();
    expect(await first).toBe(1);
    await settled();
    const last = ask();
    await settled();
    ends[1]!();
    expect(await Promise.all(others)).toEqual([2, 2, 2]);
    await settled();
    ends[2]!();
    expect(await last).toBe(3);
    expect(begun).toHaveLength(3);
  });

  it('are one at a time in each lane, and wait for no other lane', async () => {
    const { begun, ends, read } = reads();
    const shared = new SharedReads<number>();
    const ask = (key: string, lane: string) => shared.ask(key, { lane, ms: 60_000, gone: never }, read);
    const answers = [ask('p1', 'others'), ask('p2', 'others'), ask('p1', 'operators')];
    await settled();
    expect(begun).toHaveLength(2);
    ends[1]!();
    expect(await answers[2]).toBe(2);
    ends[0]!();
    await settled();
    ends[2]!();
    expect(await Promise.all(answers)).toEqual([1, 3, 2]);
  });

  it('end once no one waits any more, and are not begun for no one', async () => {
    const { begun, ends, read } = reads();
    const shared = new SharedReads<number>();
    const [one, other, third] = [new AbortController(), new AbortController(), new AbortController()];
    const ask = ({ signal }: AbortController, key = 'all') =>
      shared.ask(key, { lane: 'a', ms: 60_000, gone: signal }, read).catch(() => 'left');
    const answers = [ask(one), ask(other), ask(third, 'more')];
    await settled();
    one.abort();
    third.abort();
    await settled();
    expect(begun[0]!.aborted).toBe(false);
    other.abort();
    await settled();
    expect(begun[0]!.aborted).toBe(true);
    expect(await Promise.all(answers)).toEqual(['left', 'left', 'left']);
    const next = ask(new AbortController(), 'more');
    ends[0]!();
    await settled();
    ends[1]!();
    expect(await next).toBe(2);
    expect(begun).toHaveLength(2);
  });
});
