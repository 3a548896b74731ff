import { describe, expect, it } from '@jest/globals';
import { catalog } from '#contracts/events';
import { effectsOf, type Happened, namesAfter, ruleOf } from './cause.js';

const event = (name: string, data: object = {}): Happened => ({
  ...{ name, queue: 'root.a', stream: 'execution-e-1' },
  data: { enforcement: 'e-1', ...data },
});

describe('the effects of an event', () => {
  const ordered = (allocation: string) => event('VictimOrdered', { allocation });
  const evicted = (allocation: string) => event('VictimEvicted', { allocation });

  it('end where another event is the cause', () => {
    const opened = event('EnforcementOpened');
    const approved = event('PlanApproved');
    const [first, second] = [ordered('x'), ordered('y')];
    expect(effectsOf(opened, [approved, first, second])).toEqual([approved]);
    expect(effectsOf(approved, [first, second])).toEqual([first, second]);
  });

  it('are those of the same allocation in the same run', () => {
    const other = { ...evicted('x'), data: { enforcement: 'e-2', allocation: 'x' } };
    expect(effectsOf(ordered('x'), [evicted('y'), other, evicted('x')])).toEqual([evicted('x')]);
  });

  it('of a changed quota are clocks that state it as their cause', () => {
    const changed = event('QuotaChanged');
    const set = event('EnforcementScheduled', { cause: 'quota-lowered' });
    const after = event('EnforcementScheduled', { cause: 'after-run' });
    expect(effectsOf(changed, [after, set])).toEqual([set]);
    expect(effectsOf(changed, [changed, set])).toEqual([]);
  });
});

describe('the rules of causes', () => {
  it('know no event that the log has not', () => {
    for (const name of Object.keys(catalog)) {
      const named = [...namesAfter(name), ...(ruleOf({ name, data: {} })?.of ?? [])];
      expect(named.filter((each) => !Object.hasOwn(catalog, each))).toEqual([]);
    }
  });
});
