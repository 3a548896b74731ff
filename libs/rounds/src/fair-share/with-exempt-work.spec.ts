import { describe, expect, it } from '@jest/globals';
import type { SnapshotAllocation } from '#contracts';
import { withExemptWork } from './with-exempt-work.js';

const none = { applications: [], allocations: [] };
const empty = { nodes: [], allocations: [] };
const stop = (queue: string | null) => ({ queue, by: 'ada' });

describe('work that a round of fair-share does not select', () => {
  it('is the protected work of the settings, as long as nothing is exempt', () => {
    const configured = { protect: { users: ['root'] } };
    expect(withExemptWork(configured, [], none, empty)).toBe(configured);
    expect(withExemptWork(configured, [stop(null)], none, empty)).toBe(configured);
  });

  it('also has the queues below a switch and exempt work, each once', () => {
    const configured = { explain: true, protect: { queues: ['root.b'], priorityAtLeast: 7 } };
    const exempt = { applications: ['shop'], allocations: ['x1'] };
    expect(withExemptWork(configured, [stop('root.b'), stop('root.a')], exempt, empty)).toEqual({
      explain: true,
      protect: {
        queues: ['root.b', 'root.a'],
        applications: ['shop'],
        allocations: ['x1'],
        priorityAtLeast: 7,
      },
    });
  });
});

describe('an overcommitted node', () => {
  const on = (node: string, id: string, more: Partial<SnapshotAllocation> = {}): SnapshotAllocation => ({
    id,
    application: 'crawl',
    queue: 'root.batch',
    node,
    resources: { vcore: 3 },
    startedAt: '2026-11-22T10:00:00Z',
    ...more,
  });
  const nodes = ['n1', 'n2', 'n3'].map((id) => ({ id, capacity: { vcore: 5 } }));
  const protectedBy = (
    exempt: { applications: string[]; allocations: string[] },
    allocations: SnapshotAllocation[],
    queue?: string,
  ) =>
    withExemptWork({}, queue ? [stop(queue)] : [], exempt, { nodes, allocations }).protect as {
      allocations: string[];
    };

  it.each([
    ['an allocation', { applications: [], allocations: ['a'] }, undefined],
    ['an application', { applications: ['shop'], allocations: [] }, undefined],
    ['what is below a switch', none, 'root.web'],
  ])('is exempt as a whole if it has %s, and no other node', (_, exempt, queue) => {
    const there = [on('n1', 'a', { application: 'shop', queue: 'root.web.x' }), on('n1', 'b')];
    const others = [on('n2', 'c'), on('n2', 'd')];
    const fits = [on('n3', 'e', { application: 'shop', queue: 'root.web' })];
    const { allocations } = protectedBy(exempt, [...there, ...others, ...fits], queue);
    expect(allocations).toEqual(['a', 'b']);
  });

  it('is judged by what runs there, without what is leaving', () => {
    const there = [on('n1', 'a', { application: 'shop' }), on('n1', 'b', { state: 'releasing' })];
    expect(protectedBy({ applications: ['shop'], allocations: [] }, there).allocations).toEqual([]);
  });
});
