import { describe, expect, it } from '@jest/globals';
import { CommandError } from '../terminal/errors.js';
import { sortedBy } from './read.js';

const items = [
  { queue: 'b', usage: { memory: 5 } },
  { queue: 'a', usage: {} },
  { queue: 'c', usage: { memory: 10 } },
  { queue: 'd', usage: { memory: 5 } },
];
const queues = (sortBy: string) => sortedBy(items, sortBy).map(({ queue }) => queue);

describe('items by a field', () => {
  it('compares numbers as numbers; those without it come last, and equal ones keep their order', () => {
    expect(queues('usage.memory')).toEqual(['b', 'd', 'c', 'a']);
    expect(queues('-usage.memory')).toEqual(['c', 'b', 'd', 'a']);
  });

  it('compares texts, and takes the field with a dot as kubectl does', () => {
    expect(queues('.queue')).toEqual(['a', 'b', 'c', 'd']);
  });

  it('refuses a field that no item has, and names those there are', () => {
    expect(() => sortedBy(items, 'size')).toThrow(CommandError);
    expect(() => sortedBy(items, 'size')).toThrow('the fields are queue, usage');
    expect(() => sortedBy(items, 'constructor')).toThrow(CommandError);
    expect(sortedBy([], 'size')).toEqual([]);
  });
});
