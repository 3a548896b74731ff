import type { QueueInForce } from '@curtail/clusters';
import { type Comparable, diffConfigurations, type PartitionPolicies } from '@curtail/configuration';
import type { Resources } from '@curtail/contracts';
import type { ConfigurationChanges } from '@curtail/contracts/api';

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
  const { switches, policies, queues } = diffConfigurations(
    comparable(partition, before),
    comparable(partition, after),
  );
  const count = (which: (typeof queues)[number]['change']) =>
    queues.filter(({ change }) => change === which).length;
  return {
    changes: {
      switched: switches.flatMap(({ from, to }) => (to === null ? [] : [{ from, to }]))[0] ?? null,
      policies: (policies ?? []).map(({ partition: _, ...change }) => change),
      queues: queues.slice(0, mostQueues).map(({ partition: _, max, guaranteed, ...queue }) => ({
        ...queue,
        max: max.map(inNumbers),
        guaranteed: guaranteed.map(inNumbers),
      })),
    },
    added: count('new'),
    removed: count('removed'),
    changed: count('changed'),
  };
}

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
