import type { SnapshotAllocation } from '@curtail/contracts';
import { describe, expect, it } from '@jest/globals';
import { withLeftAlone } from './with-left-alone.js';

const none = { applications: [], allocations: [] };
const empty = { nodes: [], allocations: [] };
const stop = (queue: string | null) => ({ queue, by: 'ada' });

describe('what a round of fair-share leaves alone', () => {
  it('is what the settings protect, as long as nothing else is', () => {
    const configured = { protect: { users: ['root'] } };
    expect(withLeftAlone(configured, [], none, empty)).toBe(configured);
    expect(withLeftAlone(configured, [stop(null)], none, empty)).toBe(configured);
  });

  it('has the queues below a switch and who is left alone beside that, each once', () => {
    const configured = { explain: true, protect: { queues: ['root.b'], priorityAtLeast: 7 } };
    const leftAlone = { applications: ['shop'], allocations: ['x1'] };
    expect(withLeftAlone(configured, [stop('root.b'), stop('root.a')], leftAlone, empty)).toEqual({
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

describe('a node that holds too much', () => {
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
    leftAlone: { applications: string[]; allocations: string[] },
    allocations: SnapshotAllocation[],
    queue?: string,
  ) =>
    withLeftAlone({}, queue ? [stop(queue)] : [], leftAlone, { nodes, allocations }).protect as {
      allocations: string[];
    };

  it.each([
    ['an allocation', { applications: [], allocations: ['a'] }, undefined],
    ['an application', { applications: ['shop'], allocations: [] }, undefined],
    ['what is below a switch', none, 'root.web'],
  ])('is left alone whole if %s there is, and no other node', (_, leftAlone, queue) => {
    const there = [on('n1', 'a', { application: 'shop', queue: 'root.web.x' }), on('n1', 'b')];
    const others = [on('n2', 'c'), on('n2', 'd')];
    const fits = [on('n3', 'e', { application: 'shop', queue: 'root.web' })];
    const { allocations } = protectedBy(leftAlone, [...there, ...others, ...fits], queue);
    expect(allocations).toEqual(['a', 'b']);
  });

  it('is judged by what runs there, without what is leaving', () => {
    const there = [on('n1', 'a', { application: 'shop' }), on('n1', 'b', { state: 'releasing' })];
    expect(protectedBy({ applications: ['shop'], allocations: [] }, there).allocations).toEqual([]);
  });
});
