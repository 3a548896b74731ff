import { describe, expect, it } from '@jest/globals';
import { type EnforcementOutcome, ofQueue, type Plan } from '#contracts';
import { blockersOf, mayPass } from './blockers.js';
import { emptyTally, evictionFailed } from './tally.js';

const budget = { code: 'disruption-budget', message: 'Budget web has too little left.' };
const plan: Pick<Plan, 'outcome' | 'notices'> = {
  outcome: 'best-effort',
  notices: [{ ...budget, about: ofQueue('root.a') }],
};
const stayed = (code: string) => ({
  ...emptyTally,
  stayed: { [code]: { victims: 2, first: 'a', why: { message: 'No' } } },
});

describe('what kept a run from its target', () => {
  it.each<EnforcementOutcome>(['best-effort', 'impossible', 'failed', 'deadline'])(
    'is recorded of a run that ended as %s',
    (outcome) => {
      expect(blockersOf(outcome, plan, stayed(evictionFailed))).toEqual([
        { code: evictionFailed, message: '2 victims could not be evicted, first a: No.', victims: 2 },
        { ...budget, about: ofQueue('root.a') },
      ]);
    },
  );

  // Another run would follow against the decision of an operator, or without the lock.
  it.each<EnforcementOutcome>(['rejected', 'cancelled', 'stopped', 'fenced', 'observed', 'satisfied'])(
    'is nothing of a run that ended as %s, whatever stayed',
    (outcome) => {
      expect(blockersOf(outcome, plan, stayed(evictionFailed))).toEqual([]);
    },
  );

  it.each<[string, boolean]>([
    [evictionFailed, true],
    ['protected', true],
    ['cluster-unknown', true],
    ['stopped', false],
    ['deadline', false],
  ])('of victims that stayed with the code %s time alone may help: %s', (code, expected) => {
    const [first] = blockersOf('best-effort', plan, stayed(code));
    expect(mayPass(first!)).toBe(expected);
  });

  it('of what the plan left out, only a plan shows whether it has changed', () => {
    const [first] = blockersOf('impossible', plan, emptyTally);
    expect(mayPass(first!)).toBe(false);
  });
});
