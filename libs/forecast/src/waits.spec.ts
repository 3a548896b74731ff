import { describe, expect, it } from '@jest/globals';
import { type ClusterSnapshot, type Plan, readDecreaseSettings } from '#contracts';
import { atDate, type ForecastRun, initialClockState } from '#enforcement';
import type { ForecastSettings } from './present.js';
import { waitsAfterPlan } from './waits.js';

const settings: ForecastSettings = {
  policy: readDecreaseSettings({}),
  approveAboveVictims: 100,
  approveAbovePercent: 50,
  victimsPerSecond: 10,
  graceSeconds: 5,
};
const ten = { memory: 10 };
const ids = ['a-1', 'a-2', 'a-3', 'a-4', 'a-5', 'a-6', 'a-7', 'a-8', 'a-9', 'a-10'];
const snapshot = {
  allocations: [...ids, 'other'].map((id) => {
    return { id, queue: id === 'other' ? 'root.b' : 'root.a', resources: ten };
  }),
} as unknown as ClusterSnapshot;
const planOf = (count: number) =>
  ({ victims: ids.slice(0, count).map((allocation) => ({ allocation, resources: ten })) }) as unknown as Plan;

/** A plan for four of ten allocations, after an earlier run evicted four others. */
function approval(agoMs: number, spared = false): string[] {
  const victims = ids.slice(6).map((allocation) => {
    return { allocation, application: 'app', queue: 'root.a', resources: ten, spared };
  });
  const at = atDate(100_000);
  const over: ForecastRun = { queue: 'root', until: { ...at, ms: at.ms - agoMs }, victims };
  const clock = {
    queue: 'root.a',
    dueAt: new Date(at.ms).toISOString(),
    from: at,
    state: initialClockState('p', 'root.a'),
    stop: undefined,
    frozen: undefined,
  };
  const present = {
    at: new Date(at.ms),
    mode: 'enforce' as const,
    stops: [],
    freezes: [],
    clocks: [],
    runs: [],
  };
  const scope = { partition: 'p', queues: [], present, settings };
  return waitsAfterPlan(planOf(4), snapshot, { clock, at, inProgress: [], over: [over] }, scope).approval.map(
    ({ because }) => because,
  );
}

describe('an approval, by a part of the queue', () => {
  it('is measured by what the queue holds then: victims of an earlier run count until their grace is over', () => {
    expect(approval(4_999)).toEqual([]);
    expect(approval(5_000)).toEqual(['4 of 6 allocations; more than 50 % need approval.']);
  });

  it('counts victims that a stop spares: they stay', () => {
    expect(approval(5_000, true)).toEqual([]);
  });
});
