import { describe, expect, it } from '@jest/globals';
import { ancestors, chain, chainFromRoot, isWithin, withAncestors } from './queue-path.js';

describe('a queue path', () => {
  it('has its ancestors, nearest first', () => {
    expect(ancestors('root.a.b')).toEqual(['root.a', 'root']);
    expect(ancestors('root')).toEqual([]);
    expect(chain('root.a.b')).toEqual(['root.a.b', 'root.a', 'root']);
    expect(chainFromRoot('root.a.b')).toEqual(['root', 'root.a', 'root.a.b']);
  });

  it('comes with all that is above it, once each, in bytewise order', () => {
    const paths = ['root.a.y', 'root.a.x', 'root.a-b'];
    expect(withAncestors(paths)).toEqual(['root', 'root.a', 'root.a-b', 'root.a.x', 'root.a.y']);
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
