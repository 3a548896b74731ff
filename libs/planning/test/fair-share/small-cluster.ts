import type { FairShareStatus, Plan } from '#contracts';
import { planGiven } from '#planning';

export const TAKEN_AT = '2026-11-21T10:00:00.000Z';

/** So many seconds before the snapshot was taken. */
export const ago = (seconds: number): string => new Date(Date.parse(TAKEN_AT) - seconds * 1000).toISOString();

export interface SmallCluster {
  nodes: { id: string; [field: string]: unknown }[];
  queues: { path: string; [field: string]: unknown }[];
  applications: { id: string; queue: string; [field: string]: unknown }[];
  allocations: { id: string; application: string; [field: string]: unknown }[];
}

/** Nodes of so many vcore each: n1, n2, … */
export const nodes = (...vcore: number[]): SmallCluster['nodes'] =>
  vcore.map((units, i) => ({ id: `n${i + 1}`, capacity: { vcore: units } }));

/** An operation in a queue that waits for `count` allocations of `each` vcore; the later one in a test is submitted later. */
let submitted = 0;
export function operation(
  id: string,
  queue: string,
  { count = 0, each = 1, ...properties }: Record<string, unknown> = {},
): SmallCluster['applications'][number] {
  submitted = (submitted + 1) % 3600;
  const pending = count === 0 ? [] : [{ resources: { vcore: each }, count }];
  return { id, queue, submittedAt: ago(7200 - submitted), pending, properties };
}

/** Running allocations of an operation, `old-01` the oldest; what each one holds, and where. */
export function running(
  application: string,
  sizes: number[],
  nodeOf: (number: number) => string | undefined = () => 'n1',
): SmallCluster['allocations'] {
  return sizes.map((vcore, i) => ({
    id: `${application}-${String(i + 1).padStart(2, '0')}`,
    application,
    node: nodeOf(i + 1),
    resources: { vcore },
    startedAt: ago(3600 - i),
  }));
}

export const ones = (count: number): number[] => Array.from({ length: count }, () => 1);

export function plan(cluster: Partial<SmallCluster>, settings: Record<string, unknown> = {}): Plan {
  const { nodes: given = nodes(10), queues = [], applications = [], allocations = [] } = cluster;
  const queueOf = new Map(applications.map(({ id, queue }) => [id, queue]));
  const snapshot = {
    apiVersion: 'curtail/v1',
    kind: 'ClusterSnapshot',
    takenAt: TAKEN_AT,
    partition: 'default',
    nodes: given,
    queues,
    applications,
    allocations: allocations.map((allocation) => ({
      queue: queueOf.get(allocation.application),
      ...allocation,
    })),
  };
  return planGiven({ snapshot, trigger: { policy: 'fair-share' }, settings: { explain: true, ...settings } });
}

export const victims = ({ victims: all }: Plan): string[] => all.map(({ allocation }) => allocation);
export const codes = ({ notices }: Plan): string[] => [...new Set(notices.map(({ code }) => code))];

export function statusOf({ statuses }: Plan, name: string): FairShareStatus {
  const found = statuses!.find((status) => status.name === name);
  if (found === undefined) throw new Error(`${name} has no status`);
  return found;
}

export const fairShare = (planned: Plan, name: string): number =>
  Math.max(...Object.values(statusOf(planned, name).fairShare));
