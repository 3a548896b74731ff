import { describe, expect, it } from '@jest/globals';
import { atMs, planned, Run } from '../../testing/run-scenario.js';
import type { OpeningTerms } from './open.js';
import { openRun } from './open.js';
import { initialRunState } from './state.js';

function opened(amounts: number[], terms: Partial<OpeningTerms>) {
  const event = new Run(planned(amounts), null).open(terms);
  if (event.name !== 'EnforcementOpened') throw new Error(`${event.name} is not the opening`);
  return event.data;
}

describe('openRun', () => {
  it('records how the plan is carried out', () => {
    expect(opened([25, 25], { deadlineSeconds: 90 })).toEqual({
      partition: 'default',
      queue: 'root.a',
      enforcement: 'e1',
      fencingToken: 7,
      openedAt: atMs(0),
      mode: 'enforce',
      max: { memory: 30 },
      victims: 2,
      needsApproval: false,
      deadlineAt: atMs(90_000),
      notices: [],
    });
  });

  it.each<[string, number[], Partial<OpeningTerms>, boolean]>([
    ['exactly the number of victims', [1, 1, 1], { approveAboveVictims: 3 }, false],
    ['one victim more', [1, 1, 1], { approveAboveVictims: 2 }, true],
    ['any victim above 0', [1], { approveAboveVictims: 0 }, true],
    ['exactly the share of the allocations', [1, 1], { approveAbovePercent: 20, allocations: 10 }, false],
    [
      'more than the share of the allocations',
      [1, 1],
      { approveAbovePercent: 19.999, allocations: 10 },
      true,
    ],
    ['exactly the share of the usage', [8, 8], { approveAbovePercent: 20 }, false],
    ['more than the share of the usage', [8, 9], { approveAbovePercent: 20 }, true],
    ['a share of a queue without allocations', [1], { approveAbovePercent: 100, allocations: 0 }, true],
    ['a type without usage', [1], { approveAbovePercent: 100, usage: {} }, true],
    ['no victims', [], { approveAboveVictims: 0, approveAbovePercent: 0 }, false],
    ['no limits', [80], {}, false],
    ['observe mode', [80], { approveAboveVictims: 0, mode: 'observe' }, false],
  ])('asks for an approval where it has to: %s', (_case, amounts, terms, needs) => {
    const data = opened(amounts, terms);
    expect(data.needsApproval).toBe(needs);
    expect(data.approvalReason !== undefined).toBe(needs);
  });

  it('compares shares exactly, however large the amounts', () => {
    const usage = { memory: Number.MAX_SAFE_INTEGER };
    const half = (Number.MAX_SAFE_INTEGER - 1) / 2;
    const terms = { approveAbovePercent: 50, usage };
    expect(opened([half], terms).needsApproval).toBe(false);
    expect(opened([half + 1], terms).needsApproval).toBe(true);
  });

  it('states the reason', () => {
    expect(opened([1, 1, 1], { approveAboveVictims: 2 }).approvalReason).toBe(
      '3 victims; more than 2 need approval.',
    );
    expect(opened([1], { approveAboveVictims: 0 }).approvalReason).toBe(
      '1 victim; more than 0 need approval.',
    );
    expect(opened([50], { approveAbovePercent: 50 }).approvalReason).toBe(
      '50 B memory of 80 B memory; more than 50 % need approval.',
    );
  });

  it('opens a run once, and only with a plan', () => {
    const run = new Run(planned([1]));
    expect(() => run.open()).toThrow('open already');
    expect(() => openRun(initialRunState, {} as OpeningTerms)).toThrow('no plan');
  });
});
