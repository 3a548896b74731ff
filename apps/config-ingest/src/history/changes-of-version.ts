import { isDeepStrictEqual } from 'node:util';
import type { QueueInForce } from '#clusters';
import { type Comparable, diffConfigurations, type PartitionPolicies } from '#configuration';
import type { Resources } from '#contracts';
import type { ConfigurationChanges } from '#contracts/api';
import { sameAmounts } from '#enforcement';

/** The part of a configuration that its history compares. */
export interface Version {
  quotaPreemptionEnabled: boolean;
  policies: PartitionPolicies;
  queues: readonly QueueInForce[];
}

/** Queues whose changes are kept; a configuration can change a hundred thousand. */
const mostQueues = 1000;

/** The changes that a version made, and how many queues it added, removed and changed. */
export function changesOfVersion(
  partition: string,
  before: Version | undefined,
  after: Version,
): { changes: ConfigurationChanges; added: number; removed: number; changed: number } {
  const { shown, ...counts } = changedQueues(before?.queues ?? [], after.queues);
  const { switches, policies, queues } = diffConfigurations(
    comparable(partition, before && { ...before, queues: shown.before }),
    comparable(partition, { ...after, queues: shown.after }),
  );
  return {
    changes: {
      switched: switches.flatMap(({ from, to }) => (to === null ? [] : [{ from, to }]))[0] ?? null,
      policies: (policies ?? []).map(({ partition: _, ...change }) => change),
      queues: queues.map(({ partition: _, max, guaranteed, ...queue }) => ({
        ...queue,
        max: max.map(inNumbers),
        guaranteed: guaranteed.map(inNumbers),
      })),
    },
    ...counts,
  };
}

/** Counts them all, and finds the first ones in the order of the configuration, those that were removed last. */
function changedQueues(before: readonly QueueInForce[], after: readonly QueueInForce[]) {
  const gone = new Map(before.map((queue) => [queue.path, queue]));
  const shown: { before: QueueInForce[]; after: QueueInForce[] } = { before: [], after: [] };
  let [added, changed, listed] = [0, 0, 0];
  for (const queue of after) {
    const old = gone.get(queue.path);
    gone.delete(queue.path);
    if (old && isSame(old, queue)) continue;
    if (old) changed++;
    else added++;
    if (listed++ >= mostQueues) continue;
    shown.after.push(queue);
    if (old) shown.before.push(old);
  }
  const removed = [...gone.values()];
  shown.before.push(...removed.slice(0, Math.max(0, mostQueues - listed)));
  return { shown, added, changed, removed: removed.length };
}

const isSame = (a: QueueInForce, b: QueueInForce): boolean =>
  a.delayMs === b.delayMs &&
  sameAmounts(a.max, b.max) &&
  sameAmounts(a.guaranteed, b.guaranteed) &&
  isDeepStrictEqual(a.properties ?? {}, b.properties ?? {}) &&
  isDeepStrictEqual(a.clusterShare ?? {}, b.clusterShare ?? {});

function comparable(partition: string, version: Version | undefined): Comparable {
  if (version === undefined) return { partitions: [], queues: [] };
  const { quotaPreemptionEnabled, policies, queues } = version;
  return {
    partitions: [{ name: partition, quotaPreemptionEnabled, policies }],
    queues: queues.map(({ clusterShare, properties, ...queue }) => ({
      ...queue,
      ...(clusterShare ? { clusterShare } : {}),
      ...(properties ? { properties: { ...properties } } : {}),
      partition,
      exact: { max: exact(queue.max), guaranteed: exact(queue.guaranteed) },
      delaySeconds: queue.delayMs / 1000,
    })),
  };
}

const exact = (amounts: Resources | null) =>
  amounts && Object.fromEntries(Object.entries(amounts).map(([type, amount]) => [type, BigInt(amount)]));

/** Amounts in force are whole numbers up to 2^53 - 1. */
function inNumbers<T extends { from: bigint | null; to: bigint | null }>({ from, to, ...change }: T) {
  return { ...change, from: from === null ? null : Number(from), to: to === null ? null : Number(to) };
}
