import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { type Resources, withAncestors } from '#contracts';
import { faultsOf } from '../../../../test/contracts/snapshot-faults.js';
import { sampleCluster } from './sample.js';

const ROOT = new URL('../../../../', import.meta.url);
const now = new Date('2026-11-21T10:00:00Z');
const { nodes = [], applications = [], allocations = [] } = sampleCluster(now);
const GPU = 'nvidia.com/gpu';
const GB = 1_000_000_000;

describe('the sample cluster', () => {
  it('contradicts itself nowhere', () => {
    const queues = withAncestors(applications.map((application) => application.queue)).map((path) => ({
      path,
    }));
    const takenAt = now.toISOString();
    const header = {
      apiVersion: 'curtail/v1',
      kind: 'ClusterSnapshot',
      takenAt,
      partition: 'default',
    } as const;
    expect(faultsOf({ ...header, nodes, queues, applications, allocations })).toEqual([]);
  });

  it('fits on its nodes', () => {
    for (const node of nodes) {
      const used = sum(allocations.filter((allocation) => allocation.node === node.id));
      for (const [type, amount] of Object.entries(used)) {
        expect(amount).toBeLessThanOrEqual(node.capacity?.[type] ?? 0);
      }
    }
  });

  it('fits into the quotas of examples/queues.yaml', () => {
    const limited = configuredQueues('queues.yaml').filter((queue) => queue.max !== undefined);
    expect(limited.map((queue) => queue.path)).toContain('root.analytics.batch');
    for (const queue of limited) {
      const usage = usageOf(queue.path);
      for (const [type, most] of Object.entries(queue.max ?? {})) {
        expect(`${queue.path} ${type} ${(usage[type] ?? 0) <= most}`).toBe(`${queue.path} ${type} true`);
      }
    }
  });

  it('has ten allocations too many for examples/queues-lowered.yaml, in root.research only', () => {
    const over = configuredQueues('queues-lowered.yaml').flatMap(({ path, max = {} }) =>
      Object.entries(max)
        .map(([type, most]) => ({ path, type, amount: (usageOf(path)[type] ?? 0) - most }))
        .filter(({ amount }) => amount > 0),
    );
    expect(over).toEqual([
      { path: 'root.research', type: 'memory', amount: 10 * 4 * GB },
      { path: 'root.research', type: 'vcore', amount: 10 * 1000 },
    ]);
  });

  it('would give up more GPUs than the guaranteed amount allows, if nothing held them', () => {
    const research = configuredQueues('queues-lowered.yaml').find((queue) => queue.path === 'root.research');
    const first = allocations
      .filter((allocation) => allocation.application === 'sweep' && allocation.allowPreemption)
      .sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1))
      .slice(0, 10);
    const left = (usageOf('root.research')[GPU] ?? 0) - (sum(first)[GPU] ?? 0);
    expect(left).toBeLessThan(research?.guaranteed?.[GPU] ?? 0);
  });
});

describe.each(['queues.yaml', 'queues-lowered.yaml'])('examples/%s', (file) => {
  const queues = configuredQueues(file);
  const chain = (path: string) => queues.filter((queue) => `${path}.`.startsWith(`${queue.path}.`));
  const least = (values: (number | undefined)[]) => Math.min(...values.map((value) => value ?? Infinity));

  it('keeps the rules of docs/reference/policies/quota-decrease.md §2.4', () => {
    for (const { path, max = {}, guaranteed = {} } of queues) {
      const above = chain(path);
      for (const [type, amount] of Object.entries(max)) {
        expect(amount).toBeLessThanOrEqual(least(above.map((queue) => queue.max?.[type])));
        expect(guaranteed[type] ?? 0).toBeLessThan(amount);
      }
      const children = queues.filter(
        (queue) => queue.path.replace(/\.[^.]*$/, '') === path && queue.path !== path,
      );
      for (const type of new Set(children.flatMap((child) => Object.keys(child.guaranteed ?? {})))) {
        const promised = children.reduce((total, child) => total + (child.guaranteed?.[type] ?? 0), 0);
        expect(promised).toBeLessThanOrEqual(
          least([guaranteed[type], ...above.map((queue) => queue.max?.[type])]),
        );
      }
    }
  });

  it('is switched on, with a delay at root that all inherit', () => {
    const [partition] = parse(readFileSync(new URL(`examples/${file}`, ROOT), 'utf8')).partitions;
    expect(partition.preemption.quotapreemptionenabled).toBe(true);
    expect(partition.queues[0].resources['quota.preemption.delay']).toBe(60);
  });
});

interface ExampleQueue {
  name: string;
  resources?: { max?: Record<string, string | number>; guaranteed?: Record<string, string | number> };
  queues?: ExampleQueue[];
}

/** Only what the examples use: cores as numbers, memory in G. The real reader is elsewhere and has its own tests. */
function configuredQueues(file: string): { path: string; max?: Resources; guaranteed?: Resources }[] {
  const text = readFileSync(new URL(`examples/${file}`, ROOT), 'utf8');
  const walk = (queue: ExampleQueue, above: string): ReturnType<typeof configuredQueues> => {
    const path = above === '' ? queue.name : `${above}.${queue.name}`;
    const { max, guaranteed } = queue.resources ?? {};
    return [
      { path, ...(max && { max: amounts(max) }), ...(guaranteed && { guaranteed: amounts(guaranteed) }) },
      ...(queue.queues ?? []).flatMap((child) => walk(child, path)),
    ];
  };
  return parse(text).partitions[0].queues.flatMap((queue: ExampleQueue) => walk(queue, ''));
}

function amounts(written: Record<string, string | number>): Resources {
  return Object.fromEntries(
    Object.entries(written).map(([type, value]) => {
      if (type === 'memory') return [type, Number(/^(\d+)G$/.exec(String(value))?.[1]) * GB];
      return [type, Number(value) * (type === 'vcore' ? 1000 : 1)];
    }),
  );
}

function usageOf(path: string): Record<string, number> {
  return sum(allocations.filter((allocation) => `${allocation.queue}.`.startsWith(`${path}.`)));
}

function sum(work: { resources: Resources }[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const { resources } of work) {
    for (const [type, amount] of Object.entries(resources)) total[type] = (total[type] ?? 0) + amount;
  }
  return total;
}
