import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { byPath, differingQueues } from './differing-queues.js';

const queue = (path: string) => ({ path, max: null, guaranteed: null, delayMs: 0, parent: false });
const [a, b, c, d] = ['root.a', 'root.b', 'root.c', 'root.d'].map(queue);

describe('differing queues', () => {
  it.each([
    ['the same queues', [a, b], [a, b], [], []],
    ['a changed one', [a, b, c], [a, queue('root.b'), c], [b], [queue('root.b')]],
    ['a new one', [a, c], [a, b, c], [], [b]],
    ['a removed one', [a, b, c], [a, c], [b], []],
    ['another order', [a, b, c], [c, a, b], [], []],
    ['another order and a new one', [a, b, c], [c, d, a, b], [], [d]],
    ['none before', [], [b, a], [], [b, a]],
    ['removed ones, by path', [d, b, a, c], [a], [b, c, d], []],
  ])('finds %s', (_what, before, after, old, now) => {
    expect(differingQueues(before as never[], after as never[])).toEqual({ before: old, after: now });
  });

  it('leaves out exactly the objects of both', () => {
    const all = Array.from({ length: 8 }, (_, i) => queue(`root.q${i}`));
    const some = fc.shuffledSubarray(all);
    fc.assert(
      fc.property(some, some, (before, after) => {
        const found = differingQueues(before, after);
        expect(found.after).toEqual(after.filter((one) => !before.includes(one)));
        expect(new Set(found.before)).toEqual(new Set(before.filter((one) => !after.includes(one))));
      }),
    );
  });

  it('has the order of the database, also of characters outside of the first plane', () => {
    const paths = ['root.\u{1f600}', 'root.\uff5e', 'root.b', 'root.a', 'root.é'];
    const bytes = paths.toSorted((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y)));
    expect(byPath(paths.map(queue)).map(({ path }) => path)).toEqual(bytes);
    expect(bytes.at(-1)).toBe('root.\u{1f600}');
  });
});
