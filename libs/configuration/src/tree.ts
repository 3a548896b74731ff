import type { ClusterShare, Delay } from '#contracts';
import type { Place } from '#contracts/api';
import type { PartitionPolicies } from './policies.js';

/** A position in the text together with its path, for problems found later. */
export interface Origin extends Place {
  path: string;
}

export interface Amount {
  /** Base units, exact. */
  value: bigint;
  /** As written; empty for none. Absent in formats whose amounts have a unit by themselves. */
  unit?: string;
  origin: Origin;
}
export type Amounts = ReadonlyMap<string, Amount>;

export interface QueueTree {
  /** Lower case, from `root` down. */
  path: string;
  /** The field of the configuration that belongs to the queue, with everything below it. */
  field: string;
  origin: Origin;
  max: Amounts;
  maxOrigin: Origin;
  guaranteed: Amounts;
  guaranteedOrigin: Origin;
  /** Amounts that follow the size of the cluster, in place of max or guaranteed. */
  clusterShare?: ClusterShare;
  /** Properties of the queue for policies. */
  properties?: Readonly<Record<string, unknown>>;
  /** The share of victims that it sets for victim care. */
  share?: { percent: number; origin: Origin };
  /** Set by the queue itself; undefined = inherited. */
  delay: Delay | undefined;
  delayOrigin: Origin;
  /** 0 = none, `unreadable` = present but invalid, as a problem explains. */
  maxApplications: number | 'unreadable';
  maxApplicationsOrigin: Origin;
  /** Has queues below it, or is declared a parent. */
  parent: boolean;
  children: QueueTree[];
}

/** A queue that sets nothing itself. */
export function bareQueue(path: string, origin: Origin): Omit<QueueTree, 'parent' | 'children'> {
  return {
    path,
    field: origin.path,
    origin,
    max: new Map(),
    maxOrigin: origin,
    guaranteed: new Map(),
    guaranteedOrigin: origin,
    delay: undefined,
    delayOrigin: origin,
    maxApplications: 0,
    maxApplicationsOrigin: origin,
  };
}

export interface PartitionTree {
  name: string;
  origin: Origin;
  quotaPreemptionEnabled: boolean;
  /** The configuration itself says that lowered quotas are not enforced; a switch that is absent may be on elsewhere. */
  isSwitchedOff: boolean;
  /** Whether each quota is set without regard to those above and below it, as those of namespaces are; absent: false. */
  independentQuotas?: boolean;
  policies: PartitionPolicies;
  root: QueueTree;
}
