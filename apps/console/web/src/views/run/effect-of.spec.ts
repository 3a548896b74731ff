import { describe, expect, it } from '@jest/globals';
import { type Command, effectOf } from './effect-of.js';

type Run = Parameters<typeof effectOf>[1];

const run = {
  ...{ victims: 3, evicted: 1, mode: 'enforce', round: null },
  claimed: { memory: 3e9 },
  freed: { memory: 1e9 },
} as unknown as Run;
const effect = (command: Command, of: Partial<Run> = {}, isStopped = false) =>
  effectOf(command, { ...run, ...of }, { isStopped, approvedWith: null }).join(' ');

describe('the effect of a command', () => {
  it('counts only what is left', () => {
    expect(effect('approve')).toMatch(/^2 allocations will be evicted, which frees 2 GB memory\./);
    expect(effect('reject')).toMatch(/2 allocations stay. 1 evicted so far do not come back/);
    expect(effect('cancel')).toContain('requested already may still be carried out');
  });

  it('says whose they are, and how long it takes', () => {
    const first = ['ann', 'bob', 'eve', 'ida', 'joe', 'zoe'].map((name, i) => ({ name, victims: 9 - i }));
    const situation = {
      isStopped: false,
      approvedWith: null,
      owners: { count: 50, first },
      leastSeconds: 1583,
    };
    const text = effectOf('approve', run, situation).join(' ');
    expect(text).toContain(
      'The work belongs to 50 owners: ann (9 allocations), bob (8 allocations), eve (7 allocations), ida (6 allocations), joe (5 allocations) and 45 more.',
    );
    expect(text).toContain('it takes at least 26 min.');
    expect(effect('approve')).not.toMatch(/owner|takes/);
  });

  it('says where nothing would happen yet', () => {
    expect(effect('approve', {}, true)).toContain('Evictions are stopped');
    expect(effect('approve', { mode: 'observe' })).toMatch(
      /^Nothing is evicted while the partition observes/,
    );
  });
});
