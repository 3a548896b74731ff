import { describe, expect, it } from '@jest/globals';
import { effectOfOutcome } from './effect-of.js';
import type { Outcome } from './use-comparison.js';

const compared = { at: '2026-11-28T10:00:00.000Z', mode: 'enforce' } as const;
const outcome: Outcome = {
  name: 'x',
  changedQuotas: 1,
  clocksStart: 1,
  victims: 0,
  waitsForApproval: 0,
  firstEvictionAt: null,
};
const evicting: Outcome = {
  ...outcome,
  ...{ victims: 10, resources: { vcore: 10_000 }, firstEvictionAt: '2026-11-28T10:00:20.000Z' },
};
const effect = (of: Outcome, mode: 'observe' | 'enforce' = 'enforce') =>
  effectOfOutcome(of, { ...compared, mode }).join(' ');

describe('the effect of a configuration', () => {
  it('is that nothing goes, where nothing does', () => {
    expect(effect(outcome)).toBe('1 quota changes. 1 clock starts. Nothing that runs now would be evicted.');
    expect(effect({ ...outcome, changedQuotas: 0, clocksStart: 0, clocksEnd: 2 })).toBe(
      '0 quotas change. No clock starts; 2 clocks end without a run. Nothing that runs now would be evicted.',
    );
  });

  it('states when the first evictions are possible, and promises none that wait for a person', () => {
    expect(effect(evicting)).toContain(
      '10 vcore would be evicted, the first 20 s after it comes into force, unless',
    );
    const waiting = effect({ ...evicting, firstEvictionAt: null, waitsForApproval: 1 });
    expect(waiting).toContain('1 run waits for approval first: nothing is evicted before.');
    expect(waiting).not.toContain('20 s');
    expect(effect({ ...evicting, waitsForApproval: 1 })).toContain('20 s after it comes into force, unless');
    expect(effect({ ...evicting, firstEvictionAt: null })).toContain('while a stop holds its runs');
    expect(effect(evicting, 'observe')).toContain('the partition observes, and nothing is evicted');
  });

  it('counts removed queues apart, and says what they lose and what runs there', () => {
    const removed: Outcome['removed'] = [
      { queue: 'root.a', usage: { vcore: 2000 } },
      { queue: 'root.b', usage: {} },
    ];
    const words = effect({ ...outcome, changedQuotas: 3, removed, switched: 'off' });
    expect(words).toMatch(
      /^1 quota changes; 2 queues are removed\. The enforcement of quotas ends in the whole partition/,
    );
    expect(words).toContain(
      'root.a is removed: the enforcement of its quota ends. 2 vcore run there, and continue without a quota',
    );
    expect(words).toContain('root.b is removed: the enforcement of its quota ends. No work runs there.');
    const many = Array.from({ length: 100 }, (_, i) => ({ queue: `root.q${i}`, usage: {} }));
    expect(effect({ ...outcome, changedQuotas: 150, removed: many, moreRemoved: 50 })).toMatch(
      /130 more queues would be removed too\.$/,
    );
  });
});
