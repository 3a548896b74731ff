import { describe, expect, it } from '@jest/globals';
import { barTypesOf } from './bar-types.js';

describe('the resource types of the bars of a queue', () => {
  it('are in one order for all queues, whatever order the answer has', () => {
    const root = { max: null, guaranteed: null, usage: { vcore: 3, memory: 2, 'nvidia.com/gpu': 1 } };
    const leaf = { max: null, guaranteed: { vcore: 1 }, usage: { memory: 2, 'nvidia.com/gpu': 1 } };
    expect(barTypesOf(root, 3)).toEqual(['memory', 'nvidia.com/gpu', 'vcore']);
    expect(barTypesOf(leaf, 3)).toEqual(['memory', 'nvidia.com/gpu', 'vcore']);
  });

  it('begin with those that have a quota, and are no more than fit', () => {
    const queue = { max: { vcore: 4, pods: 9 }, guaranteed: { disk: 1 }, usage: { memory: 2, vcore: 1 } };
    expect(barTypesOf(queue, 3)).toEqual(['pods', 'vcore', 'disk']);
  });
});
