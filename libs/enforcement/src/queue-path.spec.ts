import { describe, expect, it } from '@jest/globals';
import { ancestors, chain, isWithin } from './queue-path.js';

describe('a queue path', () => {
  it('has its ancestors, nearest first', () => {
    expect(ancestors('root.a.b')).toEqual(['root.a', 'root']);
    expect(ancestors('root')).toEqual([]);
    expect(chain('root.a.b')).toEqual(['root.a.b', 'root.a', 'root']);
  });

  it.each([
    ['root.a', 'root.a', true],
    ['root.a.b.c', 'root.a', true],
    ['root.ab', 'root.a', false],
    ['root', 'root.a', false],
  ])('%s within %s: %p', (path, queue, expected) => {
    expect(isWithin(path, queue)).toBe(expected);
  });
});
