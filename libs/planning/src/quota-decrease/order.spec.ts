import { describe, expect, it } from '@jest/globals';
import type { SnapshotAllocation } from '#contracts';
import { permutations } from '../../../../test/vectors/permute.js';
import { idsOf, leafOf, planOf } from '../../test/cluster.js';

type Fields = Partial<SnapshotAllocation>;

const OLD = '2026-11-21T08:00:00.000Z';
const YOUNG = '2026-11-21T09:00:00.000Z';

/** The ids in the order in which they are taken when all have to go; the same in any order of the input. */
function order(allocations: Record<string, Fields>, settings = {}): string[] {
  const written = Object.entries(allocations).map(([id, fields]) => ({ id, ...fields }));
  const snapshot = leafOf({ memory: 0 }, written);
  const orders = [snapshot, ...permutations(snapshot)].map((input) => idsOf(planOf(input, settings)));
  for (const other of orders) expect(other).toEqual(orders[0]);
  return orders[0]!;
}

describe('each rule decides where all before it tie, against all after it', () => {
  const last: Fields = { role: 'originator', priority: 9, allowPreemption: false, startedAt: OLD };
  const first: Fields = { role: 'task', priority: 0, allowPreemption: true, startedAt: YOUNG };

  it('rule 0: placeholders before all others', () => {
    expect(order({ a: first, z: { ...last, role: 'placeholder' } })).toEqual(['z', 'a']);
    expect(order({ a: { ...first, role: 'originator' }, z: { ...last, role: 'placeholder' } })).toEqual([
      'z',
      'a',
    ]);
  });
  it('rule 1: every other role before originators', () => {
    expect(order({ a: { ...first, role: 'originator' }, z: { ...last, role: 'task' } })).toEqual(['z', 'a']);
  });
  it('rule 2: lower priority first, below zero too', () => {
    expect(order({ a: { ...first, priority: 1 }, z: { ...last, role: 'task', priority: 0 } })).toEqual([
      'z',
      'a',
    ]);
    expect(order({ a: { priority: 0 }, m: { priority: -1 }, z: { priority: -2 } })).toEqual(['z', 'm', 'a']);
  });
  it('rule 3: who allows preemption before who opted out', () => {
    expect(order({ a: { ...first, allowPreemption: false }, z: { ...first, startedAt: OLD } })).toEqual([
      'z',
      'a',
    ]);
  });
  it('rule 4: younger first, to the millisecond', () => {
    expect(order({ a: { startedAt: OLD }, z: { startedAt: YOUNG } })).toEqual(['z', 'a']);
    const at = (text: string): Fields => ({ startedAt: `2026-11-21T09:00:00.${text}Z` });
    expect(order({ a: at('001'), z: at('002') })).toEqual(['z', 'a']);
    expect(order({ a: at('0011'), z: at('0019') })).toEqual(['a', 'z']);
    expect(order({ a: { startedAt: '2026-11-21T10:00:00+02:00' }, z: { startedAt: OLD } })).toEqual([
      'a',
      'z',
    ]);
  });
  it('rule 5: smaller id first, by code units', () => {
    expect(order({ a: {}, Z: {}, '10': {}, '9': {}, '\uff5e': {}, '\u{1f600}': {} })).toEqual([
      '10',
      '9',
      'Z',
      'a',
      '\u{1f600}',
      '\uff5e',
    ]);
  });
});

describe('closest-match', () => {
  const memory: Fields = { resources: { memory: 10 } };
  const two: Fields = { resources: { memory: 10, gpu: 1 } };
  const three: Fields = { resources: { memory: 10, gpu: 1, vcore: 1 } };

  it('comes before rule 0, fewest types outside the target first', () => {
    const all = {
      a: { ...three, role: 'placeholder' },
      m: two,
      z: { ...memory, role: 'originator', priority: 9 },
    } as const;
    expect(order(all, { victimOrder: 'closest-match' })).toEqual(['z', 'm', 'a']);
    expect(order(all)).toEqual(['a', 'm', 'z']);
  });
  it('takes exactly the types of the target before a part of them', () => {
    const snapshot = leafOf({ memory: 0, vcore: 0 }, [
      { id: 'part', resources: { memory: 10 } },
      { id: 'zero', resources: { memory: 10, vcore: 10, gpu: 0 } },
    ]);
    expect(idsOf(planOf(snapshot, { victimOrder: 'closest-match' }))).toEqual(['zero', 'part']);
    expect(idsOf(planOf(snapshot))).toEqual(['part', 'zero']);
  });
  it('leaves equals to the other rules', () => {
    const all = { a: { ...two, priority: 1 }, z: { resources: { memory: 10, vcore: 1 } } };
    expect(order(all, { victimOrder: 'closest-match' })).toEqual(['z', 'a']);
  });
});

describe('nodeAware', () => {
  const on = (node: string | undefined, more: Fields = {}): Fields => ({ ...more, ...(node && { node }) });
  const settings = { nodeAware: true };

  it('goes before rule 4 and after rule 3', () => {
    const all = {
      a: on('n2', { startedAt: YOUNG }),
      m: on('n1', { startedAt: OLD }),
      z: on('n3', { allowPreemption: false }),
    };
    expect(order(all, settings)).toEqual(['m', 'a', 'z']);
    expect(order(all)).toEqual(['a', 'm', 'z']);
  });
  it('takes clearable nodes first, then fewer candidates, then the smaller id, and no node last', () => {
    const all = {
      a: on(undefined, { startedAt: YOUNG }),
      b: on('n1'),
      c: on('n2'),
      d: on('n2'),
      e: on('n3'),
      f: on('n0'),
      // An originator makes n1 and n0 unclearable for the class of tasks.
      g: on('n1', { role: 'originator' }),
      h: on('n0', { role: 'originator' }),
    };
    expect(order(all, settings)).toEqual(['e', 'c', 'd', 'f', 'b', 'a', 'h', 'g']);
  });
  it('sees what runs there of other queues and types, but no daemons and nothing that is leaving', () => {
    const snapshot = leafOf({ memory: 0 }, [
      { id: 'a', node: 'n1' },
      { id: 'b', node: 'n2' },
      { id: 'c', node: 'n3' },
      { id: 'stays', node: 'n1', resources: { gpu: 1 } },
      { id: 'daemon', node: 'n2', role: 'daemon' },
      { id: 'leaving', node: 'n3', state: 'releasing' },
    ]);
    const trigger = { target: { memory: 30 } };
    expect(idsOf(planOf(snapshot, settings, trigger))).toEqual(['b', 'c', 'a']);
    snapshot.queues.push({ path: 'root.other' });
    snapshot.allocations.push({ ...snapshot.allocations[1]!, id: 'foreign', queue: 'root.other' });
    expect(idsOf(planOf(snapshot, settings, trigger))).toEqual(['c', 'a', 'b']);
  });
  it('gives equals back in reverse of the order taken', () => {
    const snapshot = leafOf({ memory: 0 }, [
      { id: 'a', node: 'n3', resources: { memory: 5 }, startedAt: YOUNG },
      { id: 'b', node: 'n1', resources: { memory: 5 }, startedAt: OLD },
      { id: 'c', node: 'n4', resources: { memory: 10 }, startedAt: OLD },
    ]);
    const trigger = { target: { memory: 12 } };
    // Taken b, a, c; either of the small ones can be given back: a was taken later, although b is older.
    expect(idsOf(planOf(snapshot, settings, trigger))).toEqual(['b', 'c']);
    expect(idsOf(planOf(snapshot, {}, trigger))).toEqual(['a', 'c']);
  });
});
