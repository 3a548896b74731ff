import type { DataSource } from 'typeorm';
import type { Resources, SnapshotAllocation, SnapshotApplication, SnapshotNode } from '#contracts';
import { applicationIds, place, type Workload } from './place.js';
import { NodeRoom } from './start-pending.js';

const GB = 1_000_000_000;
const MINUTE_MS = 60_000;
const GPU = 'nvidia.com/gpu';

/** Allocations of one kind: so many, the youngest `youngest` minutes old, each next one `apart` minutes older. */
interface Group {
  name: string;
  count: number;
  resources: Resources;
  youngest: number;
  apart: number;
  role?: SnapshotAllocation['role'];
  allowPreemption?: boolean;
}

const MEDIUM = { memory: 4 * GB, vcore: 1000 };

/**
 * The scenario: in root.research a Spark job, notebooks and a parameter sweep use 160 GB together. When its quota goes down
 * to 120 GB (`examples/queues-lowered.yaml`) ten allocations of 4 GB have to go, all from the sweep: it has the lowest
 * priority. Two of its three GPU tasks stay although they are among the youngest, because research is guaranteed two
 * GPUs; the node agents are daemons, and the Spark driver would be the last of all.
 */
const APPLICATIONS: { application: SnapshotApplication; groups: Group[] }[] = [
  {
    application: { id: 'genome-spark', queue: 'root.research', user: 'ada', priority: 5 },
    groups: [
      { name: 'driver', count: 1, resources: MEDIUM, youngest: 240, apart: 0, role: 'originator' },
      { name: 'executor', count: 14, resources: MEDIUM, youngest: 180, apart: 4 },
    ],
  },
  {
    application: { id: 'notebooks', queue: 'root.research', user: 'grace', priority: 1 },
    groups: [{ name: 'kernel', count: 8, resources: MEDIUM, youngest: 30, apart: 25 }],
  },
  {
    application: { id: 'sweep', queue: 'root.research', user: 'alan', priority: 0 },
    groups: [
      { name: 'gpu', count: 3, resources: { ...MEDIUM, [GPU]: 1 }, youngest: 5, apart: 5 },
      { name: 'task', count: 10, resources: MEDIUM, youngest: 20, apart: 10 },
      { name: 'pinned', count: 2, resources: MEDIUM, youngest: 15, apart: 10, allowPreemption: false },
    ],
  },
  {
    application: { id: 'node-agents', queue: 'root.research', user: 'operations', priority: 0 },
    groups: [{ name: 'agent', count: 2, resources: MEDIUM, youngest: 1500, apart: 0, role: 'daemon' }],
  },
  {
    application: { id: 'nightly-load', queue: 'root.analytics.batch', user: 'barbara', priority: 3 },
    groups: [{ name: 'part', count: 12, resources: { memory: 6 * GB, vcore: 2000 }, youngest: 60, apart: 3 }],
  },
  {
    application: { id: 'dashboards', queue: 'root.analytics.adhoc', user: 'edsger', priority: 2 },
    groups: [{ name: 'query', count: 6, resources: { memory: 4 * GB, vcore: 2000 }, youngest: 2, apart: 2 }],
  },
  {
    application: { id: 'storefront', queue: 'root.services', user: 'operations', priority: 9 },
    groups: [
      { name: 'server', count: 8, resources: { memory: 2 * GB, vcore: 1000 }, youngest: 1440, apart: 60 },
    ],
  },
];

/** The sample cluster: six nodes, four queues with work, 66 allocations, started in the hours before `now`. */
export function sampleCluster(now: Date): Workload {
  const nodes = sampleNodes();
  const room = new NodeRoom(nodes);
  const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * MINUTE_MS).toISOString();
  return {
    nodes,
    applications: APPLICATIONS.map(({ application }) => ({ ...application, submittedAt: minutesAgo(3000) })),
    allocations: APPLICATIONS.flatMap(({ application, groups }) =>
      groups.flatMap((group) =>
        Array.from({ length: group.count }, (_, index) => ({
          id: `${application.id}-${group.name}${group.count === 1 ? '' : `-${index + 1}`}`,
          application: application.id,
          queue: application.queue,
          node: room.take(group.resources)!,
          resources: group.resources,
          startedAt: minutesAgo(group.youngest + index * group.apart),
          role: group.role ?? 'task',
          allowPreemption: group.allowPreemption ?? true,
        })),
      ),
    ),
  };
}

/** Puts the sample into a partition if that has no work and never had; false if it has. */
export async function seedSample(
  dataSource: DataSource,
  now: Date = new Date(),
  partition = 'default',
): Promise<boolean> {
  if ((await applicationIds(dataSource, partition)).length > 0) return false;
  await place(dataSource, partition, sampleCluster(now));
  return true;
}

/** Whether the work in a partition is that of the sample, and nothing else. */
export async function holdsSample(dataSource: DataSource, partition = 'default'): Promise<boolean> {
  const found = new Set(await applicationIds(dataSource, partition));
  return (
    found.size === APPLICATIONS.length && APPLICATIONS.every(({ application }) => found.has(application.id))
  );
}

function sampleNodes(): SnapshotNode[] {
  return [1, 2, 3, 4, 5, 6].map((number) => ({
    id: `node-${number}`,
    capacity: { memory: 64 * GB, vcore: 16_000, ...(number <= 2 ? { [GPU]: 2 } : {}) },
    labels: { zone: number % 2 === 1 ? 'east' : 'west' },
  }));
}
