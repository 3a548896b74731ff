import {
  ancestors,
  type ClusterSnapshot,
  InputError,
  parseDelayDuration,
  type Resources,
  type SnapshotAllocation,
  type SnapshotNode,
  type SnapshotQueue,
} from '#contracts';
import {
  readApplication,
  readYunikornNodes,
  readYunikornPartitions,
  readYunikornQueues,
  roleOf,
  type YunikornApplication,
  type YunikornQueue,
} from './answers.js';
import { amountsIn, fieldsOf, listIn, momentIn, textIn } from './fields.js';

/** The parts of a state dump that are read; others, such as `rmDiagnostics`, may be missing. */
export const dumpKeys = ['timestamp', 'partitions', 'applications', 'nodes', 'queues'] as const;

/** A queue of the configuration that was in force when the dump was taken. */
export interface QueueOfDump {
  path: string;
  max: Resources | null;
  guaranteed: Resources | null;
  /** Of its own quota preemption, inherited; 0: none. */
  delayMs: number;
  parent: boolean;
}

/** A queue whose listed allocations do not add up to what it says is allocated, in the types that differ. */
export interface DumpDifference {
  queue: string;
  /** What the queue says; 0 where it does not name the type. */
  allocated: Resources;
  listed: Resources;
}

/** One partition of a full state dump. */
export interface StateDump {
  /** Everything of the partition; the limits are those in force (docs/reference/snapshot.md). */
  snapshot: ClusterSnapshot;
  /** Without the dynamic queues. */
  queues: QueueOfDump[];
  /** Of the lowest queues that differ; a queue above them is named if it differs by other amounts than they do together. */
  differences: DumpDifference[];
}

/**
 * Reads a full state dump of YuniKorn (`/ws/v1/fullstatedump`). A dump does not contain whether a pod allows its preemption, nor when it
 * started: the time of its creation counts, in whole seconds.
 *
 * @param dump parsed.
 * @param partition in lower case.
 * @throws InputError with the path of what is missing or wrong.
 */
export function readStateDump(dump: unknown, partition: string): StateDump {
  const fields = fieldsOf(dump, '');
  const missing = dumpKeys.filter((key) => fields[key] === undefined);
  if (missing.length > 0) {
    throw new InputError(
      missing[0]!,
      `this is no full state dump of YuniKorn: it lacks ${missing.join(', ')}; write what /ws/v1/fullstatedump answers into the file (curl -L)`,
    );
  }
  const partitions = readYunikornPartitions(fields.partitions, 'partitions').map(({ name }) => name);
  if (partitions.length === 0) {
    throw new InputError(
      'partitions',
      'there is no partition in it: it was taken right after the start of YuniKorn, so take it again',
    );
  }
  if (!partitions.includes(partition)) {
    throw new InputError('partitions', `there is no partition ${partition}: it has ${partitions.join(', ')}`);
  }
  const listed = queuesOf(fields.queues, partition);
  const queues = listed.map(snapshotQueue);
  const applications = applicationsOf(fields.applications, partition);
  const paths = new Set(queues.map(({ path }) => path));
  for (const { at, read } of applications) {
    if (!paths.has(read.queue)) {
      throw new InputError(`${at}.queueName`, `the queue ${read.queue} is not in queues`);
    }
  }
  const allocations = allocationsOf(applications);
  const snapshot: ClusterSnapshot = {
    apiVersion: 'curtail/v1',
    kind: 'ClusterSnapshot',
    takenAt: momentIn(fields.timestamp, 'timestamp'),
    partition,
    nodes: nodesOf(fields.nodes, partition),
    queues,
    applications: applications.map(({ read, at }) => ({
      id: read.id,
      queue: read.queue,
      ...(read.user !== undefined && { user: read.user }),
      submittedAt: read.submittedAt,
      pending: read.requests.map(({ resource }, index) => ({
        resources: amountsIn(resource, `${at}.requests[${index}].resource`),
        count: 1,
      })),
    })),
    allocations,
  };
  return {
    snapshot,
    queues: listed.filter(({ isManaged }) => isManaged).map(inForce),
    differences: differencesOf(listed, allocations),
  };
}

function queuesOf(value: unknown, partition: string): YunikornQueue[] {
  for (const [index, root] of listIn(value, 'queues').entries()) {
    const at = `queues[${index}]`;
    if (textIn(fieldsOf(root, at).partition, `${at}.partition`).toLowerCase() !== partition) continue;
    return readYunikornQueues(root, at);
  }
  throw new InputError('queues', `there are no queues of partition ${partition}`);
}

/** The max of root is the size of the cluster, and no quota. */
const hasLimits = (path: string, amounts: Resources) => path !== 'root' && Object.keys(amounts).length > 0;

const snapshotQueue = ({ path, max, guaranteed, isManaged }: YunikornQueue): SnapshotQueue => ({
  path,
  ...(hasLimits(path, max) && { max }),
  ...(hasLimits(path, guaranteed) && { guaranteed }),
  ...(!isManaged && { dynamic: true as const }),
});

const inForce = ({ path, max, guaranteed, isLeaf, quotaPreemptionDelay }: YunikornQueue): QueueOfDump => ({
  path,
  max: hasLimits(path, max) ? max : null,
  guaranteed: hasLimits(path, guaranteed) ? guaranteed : null,
  delayMs: Number(
    parseDelayDuration({ type: 'text', text: quotaPreemptionDelay }, `the quotaPreemptionDelay of ${path}`)
      .ms,
  ),
  parent: !isLeaf,
});

/**
 * The same dump, in which the amounts that are allocated and not listed are work that stays: quotas are then measured by what the queues
 * have, and no plan chooses an allocation that the dump does not list.
 */
export function withUnlisted({ snapshot, differences, ...dump }: StateDump): StateDump {
  const isParent = new Set(snapshot.queues.flatMap(({ path }) => ancestors(path)));
  const unlisted = differences.flatMap(({ queue, allocated, listed }) => {
    const missing = Object.entries(allocated)
      .map(([type, amount]) => [type, amount - (listed[type] ?? 0)] as const)
      .filter(([, amount]) => amount > 0);
    if (missing.length === 0 || isParent.has(queue)) return [];
    return [{ id: `what ${queue} does not list`, queue, resources: Object.fromEntries(missing) }];
  });
  const submittedAt = snapshot.takenAt;
  return {
    ...dump,
    differences,
    snapshot: {
      ...snapshot,
      applications: [
        ...snapshot.applications,
        ...unlisted.map(({ id, queue }) => ({ id, queue, submittedAt, pending: [] })),
      ],
      allocations: [
        ...snapshot.allocations,
        ...unlisted.map(({ id, queue, resources }) => ({
          id,
          application: id,
          queue,
          resources,
          startedAt: submittedAt,
          role: 'daemon' as const,
          state: 'running' as const,
        })),
      ],
    },
  };
}

/** A dump of which somebody has cut off a part still reads well: only its sums show it. */
function differencesOf(
  queues: readonly YunikornQueue[],
  allocations: readonly SnapshotAllocation[],
): DumpDifference[] {
  const listed = new Map<string, Map<string, number>>();
  for (const { queue, resources } of allocations) {
    for (const path of [queue, ...ancestors(queue)]) add(listed, path, resources);
  }
  const differences: DumpDifference[] = [];
  /** By queue, what differs in the queues below it that are named. */
  const explained = new Map<string, Map<string, number>>();
  // Each queue comes before those below it.
  for (const { path, allocated: value } of queues.toReversed()) {
    const allocated = amountsIn(value, `the allocatedResource of ${path}`);
    const sums = listed.get(path) ?? new Map<string, number>();
    const types = [...new Set([...Object.keys(allocated), ...sums.keys()])].sort();
    const own = types.flatMap((type) => {
      const [says, has] = [allocated[type] ?? 0, sums.get(type) ?? 0];
      return says - has === (explained.get(path)?.get(type) ?? 0) ? [] : [{ type, says, has }];
    });
    if (own.length === 0) continue;
    differences.unshift({
      queue: path,
      allocated: Object.fromEntries(own.map(({ type, says }) => [type, says])),
      listed: Object.fromEntries(own.map(({ type, has }) => [type, has])),
    });
    const missing = own.map(({ type, says, has }) => {
      return [type, says - has - (explained.get(path)?.get(type) ?? 0)] as const;
    });
    for (const above of ancestors(path)) add(explained, above, Object.fromEntries(missing));
  }
  return differences;
}

function add(sums: Map<string, Map<string, number>>, path: string, amounts: Resources): void {
  const sum = sums.get(path) ?? new Map<string, number>();
  sums.set(path, sum);
  for (const [type, amount] of Object.entries(amounts)) sum.set(type, (sum.get(type) ?? 0) + amount);
}

interface PlacedApplication {
  at: string;
  read: YunikornApplication;
}

function applicationsOf(value: unknown, partition: string): PlacedApplication[] {
  return listIn(value, 'applications').flatMap((item, index) => {
    const at = `applications[${index}]`;
    if (textIn(fieldsOf(item, at).partition, `${at}.partition`).toLowerCase() !== partition) return [];
    const read = readApplication(item, at);
    // A dump also lists ended applications.
    return read.allocations.length + read.requests.length > 0 ? [{ at, read }] : [];
  });
}

function nodesOf(value: unknown, partition: string): SnapshotNode[] {
  for (const [index, group] of listIn(value, 'nodes').entries()) {
    const at = `nodes[${index}]`;
    const { partitionName, nodesInfo } = fieldsOf(group, at);
    if (textIn(partitionName, `${at}.partitionName`).toLowerCase() !== partition) continue;
    return readYunikornNodes(nodesInfo, `${at}.nodesInfo`);
  }
  return [];
}

function allocationsOf(applications: readonly PlacedApplication[]): SnapshotAllocation[] {
  const ids = new Set<string>();
  return applications.flatMap(({ read, at }) =>
    read.allocations.map((allocation, index) => {
      const { pod, uid, node, priority, preempted, resource, requestTime } = allocation;
      const place = `${at}.allocations[${index}]`;
      const id = pod === undefined || ids.has(pod) ? uid : pod;
      ids.add(id);
      return {
        id,
        uid,
        application: read.id,
        queue: read.queue,
        ...(node !== undefined && { node }),
        resources: amountsIn(resource, `${place}.resource`),
        priority,
        startedAt: momentIn(requestTime, `${place}.requestTime`),
        role: roleOf(allocation) ?? 'task',
        state: preempted ? 'preempting' : 'running',
      };
    }),
  );
}
