import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ancestorRuns, firingOrder } from './table.js';

const due = (path: string, second = 0) => ({ path, dueAt: `2026-11-21T10:00:0${second}.000Z` });

describe('firingOrder', () => {
  it('goes by due time first, however deep', () => {
    expect(firingOrder([due('root.a.b', 1), due('root.z', 0)]).map((q) => q.path)).toEqual([
      'root.z',
      'root.a.b',
    ]);
  });

  it('takes the deeper queue first when the time is the same', () => {
    const paths = ['root', 'root.a', 'root.a.b.c', 'root.a.b'].map((path) => due(path));
    expect(firingOrder(paths).map((q) => q.path)).toEqual(['root.a.b.c', 'root.a.b', 'root.a', 'root']);
  });

  it('then goes by path, by UTF-16 code units', () => {
    const paths = ['root.b', 'root.a', 'root.A', 'root.a-b', 'root.10', 'root.9'].map((path) => due(path));
    expect(firingOrder(paths).map((q) => q.path)).toEqual([
      'root.10',
      'root.9',
      'root.A',
      'root.a',
      'root.a-b',
      'root.b',
    ]);
  });

  it('does not depend on the order it is given, and leaves that alone', () => {
    const queue = fc.tuple(
      fc.constantFrom('root.a', 'root.a.b', 'root.b', 'root'),
      fc.integer({ min: 0, max: 3 }),
    );
    fc.assert(
      fc.property(fc.uniqueArray(queue, { selector: ([path]) => path }), (queues) => {
        const given = queues.map(([path, second]) => due(path, second));
        const copy = [...given];
        expect(firingOrder(given)).toEqual(firingOrder([...given].reverse()));
        expect(given).toEqual(copy);
      }),
    );
  });
});

describe('ancestorRuns', () => {
  it.each([
    ['root.a.b', ['root.a'], true],
    ['root.a.b', ['root'], true],
    ['root.a.b.c', ['root.a'], true],
    ['root.a.b', ['root.a.b'], false],
    ['root.a.b', ['root.a.b.c'], false],
    ['root.a.b', ['root.a.c'], false],
    ['root.ab', ['root.a'], false],
    ['root.a.b', [], false],
    ['root', ['root.a'], false],
  ])('of %s while %j run: %p', (path, running, expected) => {
    expect(ancestorRuns(path, new Set(running))).toBe(expected);
  });
});
