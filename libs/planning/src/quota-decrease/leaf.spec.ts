import { describe, expect, it } from '@jest/globals';
import { codesOf, idsOf, leafOf, planOf, sparedIn } from '../../test/cluster.js';

const tasks = (...amounts: number[]) =>
  amounts.map((memory, i) => ({ id: `t${i + 1}`, resources: { memory } }));

describe('cover', () => {
  it('stops when the target is reached; the last one may pass it', () => {
    const plan = planOf(leafOf({ memory: 70 }, tasks(20, 20, 20, 20, 20)), { explain: true });
    expect(idsOf(plan)).toEqual(['t1', 't2']);
    expect(plan.overshoot).toEqual({ memory: 10 });
    expect(codesOf(plan)).toEqual(['overshoot']);
    expect(sparedIn(plan)).toEqual({ t3: 'not-needed', t4: 'not-needed', t5: 'not-needed' });
  });
  it('gives back who is not needed: 10, 20 and 30 for 45', () => {
    const plan = planOf(leafOf({ memory: 15 }, tasks(10, 20, 30)), { explain: true });
    expect(idsOf(plan)).toEqual(['t2', 't3']);
    expect(plan.victims.map((victim) => victim.rank)).toEqual([1, 2]);
    expect(plan.overshoot).toEqual({ memory: 5 });
    expect(sparedIn(plan)).toEqual({ t1: 'given-back' });
  });
  it('gives back from the last of the order', () => {
    expect(
      idsOf(planOf(leafOf({ memory: 40 }, tasks(10, 10, 15, 30)), {}, { target: { memory: 36 } })),
    ).toEqual(['t1', 't4']);
  });
  it('takes again after the reprieve made room under a floor', () => {
    // memory: x and y give it; gpu: only with x given back the guaranteed vcore lets z go.
    const snapshot = leafOf(
      { memory: 25, gpu: 0 },
      [
        { id: 'x', resources: { memory: 5, vcore: 2 } },
        { id: 'y', resources: { memory: 20, vcore: 1 } },
        { id: 'z', resources: { gpu: 1, vcore: 2 } },
        { id: 'stays', role: 'daemon', resources: { memory: 20, vcore: 3 } },
      ],
      { guaranteed: { vcore: 5 } },
    );
    const plan = planOf(snapshot, { explain: true });
    expect(idsOf(plan)).toEqual(['y', 'z']);
    expect(plan.outcome).toBe('satisfied');
    expect(sparedIn(plan)).toEqual({ stays: 'daemon', x: 'given-back' });
  });
  it('takes only those that use a type still short', () => {
    const snapshot = leafOf({ memory: 0, gpu: 0 }, [
      { id: 'a', resources: { memory: 10, gpu: 1 } },
      { id: 'b', resources: { gpu: 1 } },
      { id: 'c', resources: { memory: 10 } },
    ]);
    expect(idsOf(planOf(snapshot, {}, { target: { memory: 20, gpu: 1 } }))).toEqual(['a', 'c']);
  });
});

describe('within', () => {
  it('passes over who would pass the target, and gives nothing back', () => {
    const plan = planOf(leafOf({ memory: 55 }, tasks(30, 20, 10, 40)), { fit: 'within', explain: true });
    expect(idsOf(plan)).toEqual(['t1', 't3']);
    expect(plan.outcome).toBe('best-effort');
    expect(plan.shortfall).toEqual({ memory: 5 });
    expect(sparedIn(plan)).toEqual({ t2: 'past-target', t4: 'past-target' });
  });
  it('measures against the target, not what is needed', () => {
    const plan = planOf(leafOf({ memory: 0 }, tasks(20, 80)), { fit: 'within', miss: 90 });
    expect(idsOf(plan)).toEqual(['t1']);
    expect(plan.outcome).toBe('satisfied');
  });
});

describe('miss', () => {
  it('rounds what may be missed down', () => {
    // floor(7 * 33 / 100) = 2: five are needed.
    const plan = planOf(leafOf({ memory: 93 }, tasks(4, 1, 2, 93)), { miss: 33 });
    expect(idsOf(plan)).toEqual(['t1', 't2']);
    expect(plan.shortfall).toEqual({ memory: 2 });
    expect(codesOf(plan)).toEqual(['within-miss']);
  });
  it('needs nothing at all with 100', () => {
    const plan = planOf(leafOf({ memory: 0 }, tasks(10)), { miss: 100 });
    expect(plan).toMatchObject({ outcome: 'satisfied', victims: [], shortfall: { memory: 10 } });
    expect(codesOf(plan)).toEqual(['within-miss']);
  });
  it('is exact where the product passes 2^53', () => {
    const most = Number.MAX_SAFE_INTEGER;
    // floor(most * 99 / 100) = 8917127255066440
    const plan = planOf(
      leafOf({ memory: 0 }, tasks(most - 8_917_127_255_066_440, 1)),
      { miss: 99 },
      { target: { memory: most } },
    );
    expect(plan.outcome).toBe('satisfied');
    expect(idsOf(plan)).toEqual(['t1']);
  });
});

describe('all-or-nothing', () => {
  it('takes none where the target is not reached', () => {
    const snapshot = leafOf({ memory: 0 }, tasks(10, 20), { guaranteed: { memory: 15 } });
    const plan = planOf(snapshot, { feasibility: 'all-or-nothing', explain: true });
    expect(plan).toMatchObject({
      outcome: 'impossible',
      victims: [],
      claimed: {},
      shortfall: { memory: 30 },
    });
    expect(codesOf(plan)).toEqual(['all-or-nothing', 'guaranteed-floor', 'impossible']);
    expect(sparedIn(plan)).toEqual({ t1: 'given-back', t2: 'guaranteed-floor' });
  });
  it('changes nothing where it is reached', () => {
    expect(idsOf(planOf(leafOf({ memory: 20 }, tasks(10, 20)), { feasibility: 'all-or-nothing' }))).toEqual([
      't1',
    ]);
  });
});
