import { InputError, type Resources } from '@curtail/contracts';
import {
  readApplication,
  readNodes,
  readPartitions,
  readQueues,
  roleOf,
  type YunikornApplication,
} from './answers.js';
import { amountsOf, fieldsOf, listOf, momentOf, textOf } from './fields.js';

/** The parts of a state dump that are read; others, such as `rmDiagnostics`, may be missing. */
export const dumpKeys = ['timestamp', 'partitions', 'applications', 'nodes', 'queues'] as const;

/**
 * A full state dump of YuniKorn (`/ws/v1/fullstatedump`) as a snapshot of one partition (docs/reference/snapshot.md). The snapshot
 * has everything of the partition. A dump does not contain whether a pod allows its preemption, nor when it started: the time of its
 * creation counts, in whole seconds.
 *
 * @param dump parsed.
 * @param partition in lower case.
 * @throws InputError with the path of what is missing or wrong.
 */
export function snapshotOfDump(dump: unknown, partition: string): object {
  const fields = fieldsOf(dump, '');
  const missing = dumpKeys.filter((key) => fields[key] === undefined);
  if (missing.length > 0) {
    throw new InputError(
      missing[0]!,
      `this is no full state dump of YuniKorn: it lacks ${missing.join(', ')}; write what /ws/v1/fullstatedump answers into the file (curl -L)`,
    );
  }
  const partitions = readPartitions(fields.partitions, 'partitions').map(({ name }) => name);
  if (partitions.length === 0) {
    throw new InputError(
      'partitions',
      'there is no partition in it: it was taken right after the start of YuniKorn, so take it again',
    );
  }
  if (!partitions.includes(partition)) {
    throw new InputError('partitions', `there is no partition ${partition}: it has ${partitions.join(', ')}`);
  }
  const queues = queuesOf(fields.queues, partition);
  const applications = applicationsOf(fields.applications, partition);
  const paths = new Set(queues.map(({ path }) => path));
  for (const { at, read } of applications) {
    if (!paths.has(read.queue)) {
      throw new InputError(`${at}.queueName`, `the queue ${read.queue} is not in queues`);
    }
  }
  return {
    apiVersion: 'curtail/v1',
    kind: 'ClusterSnapshot',
    takenAt: momentOf(fields.timestamp, 'timestamp'),
    partition,
    nodes: nodesOf(fields.nodes, partition),
    queues,
    applications: applications.map(({ read, at }) => ({
      id: read.id,
      queue: read.queue,
      ...(read.user !== undefined && { user: read.user }),
      submittedAt: read.submittedAt,
      pending: read.requests.map(({ resource }, index) => ({
        resources: amountsOf(resource, `${at}.requests[${index}].resource`),
        count: 1,
      })),
    })),
    allocations: allocationsOf(applications),
  };
}

interface Queue {
  path: string;
  max?: Resources;
  guaranteed?: Resources;
  dynamic?: true;
}

function queuesOf(value: unknown, partition: string): Queue[] {
  for (const [index, root] of listOf(value, 'queues').entries()) {
    const at = `queues[${index}]`;
    if (textOf(fieldsOf(root, at).partition, `${at}.partition`).toLowerCase() !== partition) continue;
    return readQueues(root, at).map(({ path, max, guaranteed, isManaged }) => ({
      path,
      // The max of root is the size of the cluster, and no quota.
      ...(path !== 'root' && Object.keys(max).length > 0 && { max }),
      ...(path !== 'root' && Object.keys(guaranteed).length > 0 && { guaranteed }),
      ...(!isManaged && { dynamic: true as const }),
    }));
  }
  throw new InputError('queues', `there are no queues of partition ${partition}`);
}

interface PlacedApplication {
  at: string;
  read: YunikornApplication;
}

function applicationsOf(value: unknown, partition: string): PlacedApplication[] {
  return listOf(value, 'applications').flatMap((item, index) => {
    const at = `applications[${index}]`;
    if (textOf(fieldsOf(item, at).partition, `${at}.partition`).toLowerCase() !== partition) return [];
    const read = readApplication(item, at);
    // A dump also lists ended applications.
    return read.allocations.length + read.requests.length > 0 ? [{ at, read }] : [];
  });
}

function nodesOf(value: unknown, partition: string): object[] {
  for (const [index, group] of listOf(value, 'nodes').entries()) {
    const at = `nodes[${index}]`;
    const { partitionName, nodesInfo } = fieldsOf(group, at);
    if (textOf(partitionName, `${at}.partitionName`).toLowerCase() !== partition) continue;
    return readNodes(nodesInfo, `${at}.nodesInfo`);
  }
  return [];
}

function allocationsOf(applications: readonly PlacedApplication[]): object[] {
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
        resources: amountsOf(resource, `${place}.resource`),
        priority,
        startedAt: momentOf(requestTime, `${place}.requestTime`),
        role: roleOf(allocation) ?? 'task',
        state: preempted ? 'preempting' : 'running',
      };
    }),
  );
}
