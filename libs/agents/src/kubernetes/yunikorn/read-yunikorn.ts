import { firstOf } from '#contracts';
import {
  readYunikornApplications,
  readYunikornNodes,
  readYunikornPartitions,
  readYunikornQueues,
  type YunikornApplication,
  type YunikornPartition,
  type YunikornQueue,
} from '../../yunikorn/answers.js';
import type { YunikornApi } from '../../yunikorn/yunikorn-api.js';

/* What a source asks the REST API of YuniKorn. */

const ofPartition = (name: string) => `/ws/v1/partition/${encodeURIComponent(name)}`;

export async function partitionsIn(api: YunikornApi, signal: AbortSignal): Promise<YunikornPartition[]> {
  return readYunikornPartitions(await api.json('/ws/v1/partitions', signal), 'partitions');
}

/** The applications of each partition that are active. */
export async function applicationsIn(
  api: YunikornApi,
  partitions: readonly YunikornPartition[],
  signal: AbortSignal,
): Promise<Map<string, YunikornApplication[]>> {
  const of = new Map<string, YunikornApplication[]>();
  for (const { name } of partitions) {
    of.set(
      name,
      readYunikornApplications(await api.json(`${ofPartition(name)}/applications/active`, signal), name),
    );
  }
  return of;
}

/** The partition of each node. Undefined with one partition: all nodes are in it. */
export async function partitionsOfNodes(
  api: YunikornApi,
  partitions: readonly YunikornPartition[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string> | undefined> {
  if (partitions.length < 2) return undefined;
  const of = new Map<string, string>();
  for (const { name } of partitions) {
    const answer = await api.json(`${ofPartition(name)}/nodes`, signal);
    for (const { id } of readYunikornNodes(answer, `${name}.nodes`)) of.set(id, name);
  }
  return of;
}

/** The notice that YuniKorn enforces the quotas of a partition itself; undefined: it does not. */
export async function preemptionTwiceIn(api: YunikornApi, partition: YunikornPartition, signal: AbortSignal) {
  if (!partition.quotaPreemptionEnabled) return undefined;
  const answer = await api.json(`${ofPartition(partition.name)}/queues`, signal);
  return preemptionTwice(partition, readYunikornQueues(answer, 'queues'));
}

const named = 5;

/** Returns a warning if YuniKorn enforces lowered quotas itself: quota preemption is on, and a queue has a delay. */
export function preemptionTwice(
  { name, quotaPreemptionEnabled }: YunikornPartition,
  queues: readonly YunikornQueue[],
): { code: string; message: string } | undefined {
  if (!quotaPreemptionEnabled) return undefined;
  const late = queues.filter(({ quotaPreemptionDelay }) => !/^(0s|0)$/.test(quotaPreemptionDelay));
  if (late.length === 0) return undefined;
  const list = late.map(({ path, quotaPreemptionDelay }) => `${path} ${quotaPreemptionDelay}`);
  return {
    code: 'scheduler-preempts-too',
    message:
      `YuniKorn enforces lowered quotas of partition ${name} itself (${firstOf(list, named)}), so both would evict: ` +
      'set preemption.quotapreemptionenabled of the partition to false; Curtail still uses the delays',
  };
}
