import { describe, expect, it } from '@jest/globals';
import { ancestors, withAncestors } from './subtree.js';

describe('queue paths', () => {
  it('have their ancestors from root down', () => {
    expect(ancestors('root.a.b')).toEqual(['root', 'root.a']);
    expect(ancestors('root')).toEqual([]);
  });

  it('come with all that is above them, once each, in bytewise order', () => {
    expect(withAncestors(['root.a.y', 'root.a.x', 'root.a-b'])).toEqual([
      'root',
      'root.a',
      'root.a-b',
      'root.a.x',
      'root.a.y',
    ]);
  });
});
