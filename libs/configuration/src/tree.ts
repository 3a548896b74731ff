import type { ClusterShare, Delay } from '@curtail/contracts';
import type { Place } from '@curtail/contracts/api';
import type { PartitionPolicies } from './policies.js';

/** A place in the text together with its path, for what is found wrong later. */
export interface Origin extends Place {
  path: string;
}

export interface Amount {
  /** Base units, exact. */
  value: bigint;
  origin: Origin;
}
export type Amounts = ReadonlyMap<string, Amount>;

export interface QueueTree {
  /** Lower case, from `root` down. */
  path: string;
  /** What stands at this field of the configuration, or below it, belongs to the queue. */
  field: string;
  origin: Origin;
  max: Amounts;
  maxOrigin: Origin;
  guaranteed: Amounts;
  guaranteedOrigin: Origin;
  /** Amounts that follow the size of the cluster, in place of max or guaranteed. */
  clusterShare?: ClusterShare;
  /** What policies are told about the queue. */
  properties?: Readonly<Record<string, unknown>>;
  /** The share of victims that it sets for victim care. */
  share?: { percent: number; origin: Origin };
  /** What the queue sets itself; undefined = it inherits. */
  delay: Delay | undefined;
  delayOrigin: Origin;
  /** 0 = none, `unreadable` = there is one, and a problem says what is wrong with it. */
  maxApplications: number | 'unreadable';
  maxApplicationsOrigin: Origin;
  /** Holds queues, or is said to. */
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
  policies: PartitionPolicies;
  root: QueueTree;
}
