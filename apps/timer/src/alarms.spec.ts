import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { machineClock } from '../../../test/support/machine-clock.js';
import { Alarms, aheadMs } from './alarms.js';

describe('alarms', () => {
  let rung: [string, Date][];
  let alarms: Alarms;
  beforeEach(() => {
    jest.useFakeTimers();
    rung = [];
    alarms = new Alarms(machineClock, (partition, dueAt) => rung.push([partition, dueAt]));
  });
  afterEach(() => {
    jest.useRealTimers();
  });
  const inMs = (ms: number) => new Date(Date.now() + ms);

  it('go off a little before their moment, once for a partition, however often they were set', () => {
    const dueAt = inMs(100);
    alarms.set('a', dueAt);
    alarms.set('a', dueAt);
    alarms.set('b', dueAt);
    jest.advanceTimersByTime(100 - aheadMs - 1);
    expect(rung).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(rung).toEqual([
      ['a', dueAt],
      ['b', dueAt],
    ]);
  });

  it('go off at once for what is nearer than that, or has passed', () => {
    alarms.set('a', inMs(-5));
    alarms.set('b', inMs(aheadMs - 1));
    jest.advanceTimersByTime(1);
    expect(rung.map(([partition]) => partition)).toEqual(['a', 'b']);
  });

  it('go off no more once they are cleared', () => {
    alarms.set('a', inMs(100));
    alarms.clear();
    jest.advanceTimersByTime(1000);
    expect(rung).toEqual([]);
  });
});
