import { describe, expect, it } from '@jest/globals';
import { numbersOf } from './numbers-of.js';

const run = {
  ...{ queue: 'root.a', policy: 'quota-decrease', startedAt: null, evicted: 2 },
  ...{ victims: 3, target: { memory: 4e9 } },
};
const victim = { run, quota: { memory: 1e10 }, resources: { memory: 2e9 } };

describe('the answer to an owner in numbers', () => {
  it('names quota, target, and the part of this victim', () => {
    expect(numbersOf(victim)).toBe(
      'a run of root.a chose 3 allocations to free 4 GB memory. The quota of root.a was 10 GB memory. This one held 2 GB memory.',
    );
  });

  it('leaves out what is not known', () => {
    expect(numbersOf({ ...victim, quota: null, run: { ...run, victims: 1, target: null } })).toBe(
      'a run of root.a chose one allocation. This one held 2 GB memory.',
    );
  });
});
