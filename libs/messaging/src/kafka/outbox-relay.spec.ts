import { describe, expect, it } from '@jest/globals';
import { catalog } from '#contracts/events';
import { RelayPace } from './outbox-relay.js';

const quota = [catalog.ConfigApplied.type, catalog.QuotaChanged.type];

/** Pages that follow each other as soon as they may. */
function intervals(pages: string[][], pace = new RelayPace()): number[] {
  let at = 1000;
  return pages.map((types) => {
    const next = pace.after(types, at);
    const interval = next - at;
    at = next;
    return interval;
  });
}

describe('the interval of the pages of the relay', () => {
  it('grows to a tenth of a second while pages of configurations follow each other', () => {
    expect(intervals(Array.from({ length: 6 }, () => quota))).toEqual([20, 30, 45, 67.5, 100, 100]);
  });

  it('is short again after an event that something waits for', () => {
    expect(intervals([quota, quota, [...quota, catalog.EnforcementStarted.type], quota])).toEqual([
      20, 30, 20, 30,
    ]);
  });

  it('is short again after a pause', () => {
    const pace = new RelayPace();
    intervals([quota, quota, quota], pace);
    expect(pace.after(quota, 5000)).toBe(5020);
  });

  it('stays short for events that something waits for', () => {
    expect(intervals(Array.from({ length: 3 }, () => [catalog.PlanComputed.type]))).toEqual([20, 20, 20]);
  });
});
