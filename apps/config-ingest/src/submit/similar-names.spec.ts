import { describe, expect, it } from '@jest/globals';
import { similarPartitionWarnings, similarQueues, similarQueueWarnings } from './similar-names.js';

const queues = (...paths: string[]) => paths.map((path) => ({ path }));

describe('a new queue with nearly the name of a removed one', () => {
  it('may be misspelt', () => {
    const before = queues('root', 'root.research', 'root.web');
    const after = queues('root', 'root.reserch', 'root.web');
    expect([...similarQueues(before, after)]).toEqual([['root.research', 'root.reserch']]);
    expect(similarQueueWarnings(before, after)).toMatchObject([
      {
        ...{ code: 'similar-name', path: 'root.reserch', about: { kind: 'queue', name: 'root.reserch' } },
        message: 'it is new, and root.research is removed: is its name right?',
      },
    ]);
  });

  it.each([
    ['one that stays', ['root.research'], ['root.research', 'root.reserch']],
    ['one of a series', ['root.team1'], ['root.team2']],
    ['a short one', ['root.a'], ['root.b']],
    ['another one', ['root.research'], ['root.analytics']],
  ])('is no such thing beside %s', (_, before, after) => {
    expect(similarQueueWarnings(queues(...before), queues(...after))).toEqual([]);
  });

  it.each([
    ['removed', 101, 1],
    ['added', 1, 101],
  ])(
    'is not looked for where very many are %s: to compare them all would take seconds',
    (_, removed, added) => {
      const many = (count: number, last: string) =>
        queues(
          ...Array.from({ length: count - 1 }, (_, index) => `root.other-${index}-${last}`),
          `root.${last}`,
        );
      expect([...similarQueues(many(1, 'research'), many(1, 'reserch'))]).toHaveLength(1);
      expect([...similarQueues(many(removed, 'research'), many(added, 'reserch'))]).toEqual([]);
    },
  );
});

describe('a partition without a configuration', () => {
  it('may be misspelt if another one has nearly its name', () => {
    expect(similarPartitionWarnings('defualt', ['default', 'gpu'])).toMatchObject([
      {
        ...{ path: 'partition defualt', about: { kind: 'partition', name: 'defualt' } },
        message: 'it has no configuration yet, and partition default has one: is its name right?',
      },
    ]);
    expect(similarPartitionWarnings('default', ['default', 'defualt'])).toEqual([]);
    expect(similarPartitionWarnings('east-2', ['east-1'])).toEqual([]);
  });
});
