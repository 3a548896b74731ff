import { describe, expect, it } from '@jest/globals';
import { cancelledClock, heldClock, observedOnly, switchedOff } from './state.js';

describe('what is foreseen no more is called off with a reason:', () => {
  it.each([
    ['quota-raised', 'quota-raised', 'the quota of root.a was raised.'],
    ['max-removed', 'max-removed', 'root.a has no quota any more.'],
    ['delay-zero', 'delay-zero', 'the delay of root.a is 0, which turns its enforcement off.'],
    ['queue-removed', 'queue-removed', 'root.a was removed from the configuration.'],
    ['within-quota', 'usage-fell', 'root.a is within its quota.'],
    ['not-needed', 'usage-fell', 'root.a is within its quota.'],
    ['some-later-cause', 'some-later-cause', 'the clock of root.a ended (some later cause).'],
  ])('of a clock that ended with %s', (cause, code, message) => {
    expect(cancelledClock('root.a', cause)).toEqual({ code, message });
  });

  it('of a clock that an operator cancelled, by name if it is known', () => {
    expect(cancelledClock('root.a', 'operator', 'ada')).toEqual({
      ...{ code: 'cancelled', message: 'user ada cancelled its run.' },
    });
    expect(cancelledClock('root.a', 'operator').message).toBe('an operator cancelled its run.');
  });

  it('of a clock that is held by a stop, or since quota preemption is off', () => {
    expect(heldClock('p', { queue: 'root.a', by: 'ada' })).toEqual({
      code: 'suspended',
      message: 'user ada stopped evictions in root.a; its delay restarts when that ends.',
    });
    expect(heldClock('p', { queue: null, by: 'ada' }).message).toContain('in the partition;');
    expect(heldClock('p', undefined).message).toBe(
      'quota preemption is off in partition p; its delay restarts when that ends.',
    );
  });

  it('of a partition that is only observed, and of a queue without advance notice', () => {
    expect(observedOnly('p')).toMatchObject({
      code: 'observed',
      message: expect.stringContaining('partition p'),
    });
    expect(switchedOff('root.a')).toMatchObject({
      ...{ code: 'switched-off', message: expect.stringContaining('root.a') },
    });
  });
});
