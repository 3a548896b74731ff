import { describe, expect, it } from '@jest/globals';
import type { Resources } from '#contracts';
import { idsOf, leafOf, planOf, sparedIn } from '../../test/cluster.js';

describe('the target', () => {
  it('is what is used above max, less what is in flight, per type of the max', () => {
    const plan = planOf(
      leafOf({ memory: 15, gpu: 9 }, [
        { id: 'a', resources: { memory: 10, vcore: 5 } },
        { id: 'b', resources: { memory: 10, vcore: 5, gpu: 2 }, state: 'preempting' },
        { id: 'c', resources: { memory: 10 } },
      ]),
    );
    expect(plan).toMatchObject({ target: { memory: 5 }, inFlight: { gpu: 2, memory: 10 }, collateral: {} });
    expect(Object.keys(plan.inFlight)).toEqual(['gpu', 'memory']);
  });
  it('is what the trigger states, in flight or not, without zeros', () => {
    const snapshot = leafOf({ memory: 15, gpu: 9 }, [
      { id: 'a', resources: { memory: 10, vcore: 5 } },
      { id: 'b', resources: { memory: 10, vcore: 5, gpu: 2 }, state: 'releasing' },
    ]);
    const plan = planOf(snapshot, {}, { target: { vcore: 3, gpu: 0, tapes: 1 } });
    expect(plan).toMatchObject({
      outcome: 'best-effort',
      target: { tapes: 1, vcore: 3 },
      inFlight: { vcore: 5 },
      claimed: { vcore: 5 },
      shortfall: { tapes: 1 },
      overshoot: { vcore: 2 },
      collateral: { memory: 10 },
    });
  });
  it.each<Resources>([{}, { memory: 0 }])('is empty if the trigger asks for nothing: %j', (target) => {
    const plan = planOf(leafOf({ memory: 0 }, [{ id: 'a' }]), { explain: true }, { target });
    expect(plan).toMatchObject({ outcome: 'not-needed', target: {}, inFlight: {}, victims: [], shares: [] });
    expect(sparedIn(plan)).toEqual({ a: 'not-needed' });
  });
  it('takes a max of zero for a limit, and no max for none', () => {
    expect(idsOf(planOf(leafOf({ memory: 0 }, [{ id: 'a' }])))).toEqual(['a']);
    expect(planOf(leafOf({}, [{ id: 'a' }])).outcome).toBe('not-needed');
  });
});
