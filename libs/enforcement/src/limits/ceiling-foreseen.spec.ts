import { describe, expect, it } from '@jest/globals';
import { ceilingForeseen, type RunBeforeCeiling } from './ceiling-foreseen.js';
import type { Ceilings, CeilingUse } from './ceilings.js';

const none: Ceilings = { ceilingPerHour: null, ceilingPerConfiguration: null, ceilingClusterPercent: null };
const at = '2026-11-26T10:00:00Z';
const run = (minutes: number | null, count: number, memory = 1): RunBeforeCeiling => ({
  dueAt: minutes === null ? null : new Date(Date.parse(at) + minutes * 60_000).toISOString(),
  victims: Array.from({ length: count }, () => ({ resources: { memory } })),
});
const foreseen = (
  ceilings: Partial<Ceilings>,
  runs: RunBeforeCeiling[],
  { hour = { victims: 0, resources: {} }, clusterSize = { memory: 1000 } }: Partial<CeilingUse> = {},
) => ceilingForeseen({ ...none, ...ceilings }, { hour, clusterSize }, { partition: 'p', at, runs });

describe('a ceiling that a change would exceed', () => {
  it('is that of the configuration, over all its runs', () => {
    const runs = [run(0, 3), run(600, 3)];
    expect(foreseen({ ceilingPerConfiguration: 6 }, runs)).toBeUndefined();
    expect(foreseen({ ceilingPerConfiguration: 5 }, runs)).toEqual({
      code: 'ceiling-configuration',
      message: 'The runs of this change would have 6 victims; more than 5 need approval.',
      about: { kind: 'partition', name: 'p' },
    });
  });

  it('is that of an hour, where runs are due within one', () => {
    expect(foreseen({ ceilingPerHour: 5 }, [run(0, 3), run(60, 3)])).toBeUndefined();
    expect(foreseen({ ceilingPerHour: 5 }, [run(0, 3), run(59, 3)])?.message).toBe(
      'Partition p would have 6 victims within an hour, 6 of them by this change; more than 5 need approval.',
    );
    expect(foreseen({ ceilingPerHour: 5 }, [run(59, 3), run(null, 3)])?.code).toBe('ceiling-hour');
  });

  it('counts what counts now, for runs that are due within the hour', () => {
    const hour = { victims: 3, resources: { memory: 30 } };
    expect(foreseen({ ceilingPerHour: 5 }, [run(60, 3)], { hour })).toBeUndefined();
    expect(foreseen({ ceilingPerHour: 5 }, [run(59, 3)], { hour })?.message).toContain(
      '6 victims within an hour, 3 of them by this change',
    );
    expect(foreseen({ ceilingClusterPercent: 3 }, [run(60, 3)], { hour })).toBeUndefined();
    expect(foreseen({ ceilingClusterPercent: 3 }, [run(59, 3)], { hour })?.code).toBe('ceiling-cluster');
  });

  it('is a share of the cluster, in the types that the change takes', () => {
    expect(foreseen({ ceilingClusterPercent: 10 }, [run(0, 10, 10)])).toBeUndefined();
    expect(foreseen({ ceilingClusterPercent: 10 }, [run(0, 10, 10), run(30, 1, 1)])?.message).toBe(
      "Partition p would evict 101 B memory of the cluster's 1 kB memory within an hour, with what this change evicts; more than 10 % need approval.",
    );
    const hour = { victims: 1, resources: { vcore: 1_000_000 } };
    expect(foreseen({ ceilingClusterPercent: 10 }, [run(0, 1)], { hour })).toBeUndefined();
    expect(foreseen({ ceilingClusterPercent: 10 }, [run(0, 1)], { clusterSize: {} })?.code).toBe(
      'ceiling-cluster',
    );
  });

  it('is none without victims', () => {
    const all = { ceilingPerHour: 0, ceilingPerConfiguration: 0, ceilingClusterPercent: 0 };
    expect(foreseen(all, [])).toBeUndefined();
    expect(foreseen(all, [run(0, 0)], { clusterSize: {} })).toBeUndefined();
  });
});
