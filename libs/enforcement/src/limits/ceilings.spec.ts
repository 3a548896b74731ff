import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Ceilings, type CeilingUse, type CountedRun, ceilingReached } from './ceilings.js';

const none: Ceilings = { ceilingPerHour: null, ceilingPerConfiguration: null, ceilingClusterPercent: null };
const nothingElse: CeilingUse = {
  hour: { victims: 0, resources: {} },
  ofConfiguration: 0,
  clusterSize: { memory: 1000 },
};
const victims = (count: number, memory = 1) =>
  Array.from({ length: count }, () => ({ resources: { memory } }));
const run = (count: number, memory = 1): CountedRun => ({
  ...{ partition: 'p', configuration: 12, victims: victims(count, memory) },
});
const code = (ceilings: Partial<Ceilings>, use: Partial<CeilingUse>, of = run(10)) =>
  ceilingReached({ ...none, ...ceilings }, { ...nothingElse, ...use }, of)?.code;
const inHour = (count: number, memory = 0) => ({
  hour: { victims: count, resources: { memory } },
});

describe('the ceilings of a partition', () => {
  it('let everything pass where there are none', () => {
    expect(code({}, inHour(1_000_000))).toBeUndefined();
  });

  it('let a run without victims pass', () => {
    expect(code({ ceilingPerHour: 0 }, inHour(5), run(0))).toBeUndefined();
  });

  it('count the victims of all runs within an hour', () => {
    expect(code({ ceilingPerHour: 100 }, inHour(90))).toBeUndefined();
    expect(code({ ceilingPerHour: 100 }, inHour(91))).toBe('ceiling-hour');
  });

  it('count the victims of all runs of the same configuration', () => {
    expect(code({ ceilingPerConfiguration: 100 }, { ofConfiguration: 90 })).toBeUndefined();
    expect(code({ ceilingPerConfiguration: 100 }, { ofConfiguration: 91 })).toBe('ceiling-configuration');
  });

  it('judge no run by configuration that none causes', () => {
    const round = { ...run(10), configuration: undefined };
    expect(code({ ceilingPerConfiguration: 5 }, {}, round)).toBeUndefined();
  });

  it('compare the share of the cluster exactly', () => {
    expect(code({ ceilingClusterPercent: 10 }, inHour(1, 90))).toBeUndefined();
    expect(code({ ceilingClusterPercent: 10 }, inHour(1, 91))).toBe('ceiling-cluster');
    // A third of 2^53 - 1 and one more: floating point numbers would not tell them apart.
    const [size] = [Number.MAX_SAFE_INTEGER];
    const use = { clusterSize: { memory: size } };
    const third = Number((BigInt(size) * 33n) / 100n);
    expect(code({ ceilingClusterPercent: 33 }, use, run(1, third))).toBeUndefined();
    expect(code({ ceilingClusterPercent: 33 }, use, run(1, third + 1))).toBe('ceiling-cluster');
  });

  it('count a type that no node has, and a cluster of unknown size, as exceeded', () => {
    expect(code({ ceilingClusterPercent: 100 }, { clusterSize: { vcore: 5 } })).toBe('ceiling-cluster');
    expect(code({ ceilingClusterPercent: 100 }, { clusterSize: {} })).toBe('ceiling-cluster');
  });

  it('name the numbers', () => {
    const reached = ceilingReached(
      { ...none, ceilingPerHour: 100 },
      { ...nothingElse, ...inHour(95) },
      run(10),
    );
    expect(reached).toEqual({
      code: 'ceiling-hour',
      message:
        'Partition p would have 105 victims within an hour, 10 of them in this run; more than 100 need approval.',
      about: { kind: 'partition', name: 'p' },
    });
  });

  it('are never exceeded by runs that are judged one after the other', () => {
    const amounts = fc.array(fc.record({ count: fc.nat(30), memory: fc.nat(40) }), { maxLength: 30 });
    fc.assert(
      fc.property(amounts, fc.nat(100), fc.nat(100), fc.nat(100), (runs, hour, configuration, percent) => {
        const ceilings = {
          ceilingPerHour: hour,
          ceilingPerConfiguration: configuration,
          ceilingClusterPercent: percent,
        };
        const admitted = { victims: 0, memory: 0 };
        for (const { count, memory } of runs) {
          const use = {
            hour: { victims: admitted.victims, resources: { memory: admitted.memory } },
            ...{ ofConfiguration: admitted.victims, clusterSize: { memory: 1000 } },
          };
          if (ceilingReached(ceilings, use, run(count, memory))) continue;
          admitted.victims += count;
          admitted.memory += count * memory;
        }
        return admitted.victims <= Math.min(hour, configuration) && admitted.memory * 100 <= 1000 * percent;
      }),
    );
  });

  it('stop every run that is larger than one stopped before', () => {
    fc.assert(
      fc.property(fc.nat(50), fc.nat(50), fc.nat(50), fc.nat(100), (count, more, before, ceiling) => {
        const use = inHour(before);
        const isStopped = (n: number) => code({ ceilingPerHour: ceiling }, use, run(n)) !== undefined;
        return !isStopped(count) || isStopped(count + more);
      }),
    );
  });
});
