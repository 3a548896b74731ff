import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { machineClock } from '../../../../test/support/machine-clock.js';
import { aheadMs, NearWakeUps } from './wake-ups.js';

describe('near wake-ups', () => {
  let woken: [string, Date][];
  let nearWakeUps: NearWakeUps;
  beforeEach(() => {
    jest.useFakeTimers();
    woken = [];
    nearWakeUps = new NearWakeUps(machineClock, (partition, dueAt) => woken.push([partition, dueAt]));
  });
  afterEach(() => {
    jest.useRealTimers();
  });
  const inMs = (ms: number) => new Date(Date.now() + ms);

  it('come a little before their moment, once for a partition, however often they were set', () => {
    const dueAt = inMs(100);
    nearWakeUps.set('a', dueAt);
    nearWakeUps.set('a', dueAt);
    nearWakeUps.set('b', dueAt);
    jest.advanceTimersByTime(100 - aheadMs - 1);
    expect(woken).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(woken).toEqual([
      ['a', dueAt],
      ['b', dueAt],
    ]);
  });

  it('come at once for moments that are nearer than that, or have passed', () => {
    nearWakeUps.set('a', inMs(-5));
    nearWakeUps.set('b', inMs(aheadMs - 1));
    jest.advanceTimersByTime(1);
    expect(woken.map(([partition]) => partition)).toEqual(['a', 'b']);
  });

  it('do not come once they are cleared', () => {
    nearWakeUps.set('a', inMs(100));
    nearWakeUps.clear();
    jest.advanceTimersByTime(1000);
    expect(woken).toEqual([]);
  });
});
