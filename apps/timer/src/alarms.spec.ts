import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Alarms } from './alarms.js';

describe('alarms', () => {
  let rung: string[];
  let alarms: Alarms;
  beforeEach(() => {
    jest.useFakeTimers();
    rung = [];
    alarms = new Alarms((partition) => rung.push(partition));
  });
  afterEach(() => {
    jest.useRealTimers();
  });
  const inMs = (ms: number) => new Date(Date.now() + ms);

  it('go off at their moment, once for a partition, however often they were set', () => {
    alarms.set('a', inMs(100));
    alarms.set('a', inMs(100));
    alarms.set('b', inMs(100));
    jest.advanceTimersByTime(99);
    expect(rung).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(rung).toEqual(['a', 'b']);
  });

  it('go off at once for what has passed', () => {
    alarms.set('a', inMs(-5));
    jest.advanceTimersByTime(1);
    expect(rung).toEqual(['a']);
  });

  it('never go off early, whatever the timer does', () => {
    const dueAt = inMs(100);
    alarms.set('a', dueAt);
    // The clock goes back while it is waited for.
    jest.setSystemTime(Date.now() - 3);
    jest.advanceTimersByTime(100);
    expect(rung).toEqual([]);
    jest.advanceTimersByTime(3);
    expect(rung).toEqual(['a']);
  });

  it('go off no more once they are cleared', () => {
    alarms.set('a', inMs(100));
    alarms.clear();
    jest.advanceTimersByTime(1000);
    expect(rung).toEqual([]);
  });
});
