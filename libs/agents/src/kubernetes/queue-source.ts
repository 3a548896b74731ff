import type { AllocationReport } from '../inventory-changes.js';
import type { ConfigurationOutcome, SourceConfiguration } from '../port.js';
import type { KubernetesObject } from './objects.js';
import type { PodWork } from './pod-work.js';
import type { Mirror } from './reflector.js';
import type { Replica } from './replica.js';

/** Where a pod stands, and what its scheduler knows of it besides; what is absent is as the pod itself says. */
export interface Place {
  partition: string;
  queue: string;
  application?: { id: string; user?: string; submittedAt?: string };
  role?: NonNullable<AllocationReport['role']>;
  allowPreemption?: boolean;
  /** It has room there already, whatever the pod says of its node. */
  node?: string;
}

export interface QueueListener {
  /** The pods of these uids may stand elsewhere now; absent: any pod and any node. */
  moved(uids?: Iterable<string>): void;
  /** Anything else is new: a partition, a configuration, or that the source is heard again. */
  changed(): void;
}

/** Queues and quotas of a cluster, and which pod stands where. */
export interface QueueSource {
  /** Each is an inventory of its own. */
  readonly partitions: readonly string[];
  /** Resolves when it is known where every pod stands. */
  start(listener: QueueListener): Promise<void>;
  stop(): Promise<void>;
  /** Undefined: it is in no queue, or that is not known yet. */
  place(pod: PodWork): Place | undefined;
  partitionOfNode(node: string): string | undefined;
  configuration(partition: string): SourceConfiguration | undefined;
  heard(partition: string, outcome: ConfigurationOutcome): Promise<void>;
  /** Whether changes of it come in. */
  isHeard(partition: string): boolean;
  /** Asks it now, if it has to be asked. */
  isCurrent(partition: string): Promise<boolean>;
}

/** What a source of queues shares with the rest of the agent. */
export interface SharedWatches {
  namespaces: Replica<KubernetesObject>;
  /** Pods that run or wait, and stand nowhere. */
  unplaced: () => Iterable<PodWork>;
  /** Whether a pod of this uid runs or waits. */
  isThere: (uid: string) => boolean;
  /** Keeps a mirror of one kind of object from the start of the cluster on, as its other watches. */
  watch: <T extends KubernetesObject>(
    path: string,
    keep: (object: T) => T,
    mirror: Mirror<T>,
    query?: Readonly<Record<string, string>>,
  ) => void;
  tell: FindingsTeller;
  onTrouble: (what: string, error: Error) => void;
}

/** The reason of events for quotas that are left alone as long as the finding stands. */
export const quotaNotEnforced = 'QuotaNotEnforced';

/** Something about an object of the cluster that its owner should know. */
export interface Finding {
  severity: 'error' | 'warning';
  /** The object: `ResourceQuota team-a/compute`. */
  object: {
    kind: 'Namespace' | 'ResourceQuota' | 'ConfigMap';
    namespace: string;
    name: string;
    uid: string;
  };
  /** Of the object, such as `spec.hard["requests.cpu"]`. */
  field: string;
  code: string;
  /** One sentence that says what is wrong, and what would be right. */
  message: string;
}

/** As a person says it: `ResourceQuota team-a/compute`, `Namespace team-a`. */
export const placeOf = ({ kind, namespace, name }: Finding['object']): string =>
  kind === 'Namespace' ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;

/** Tells all that is found now; what was told the last time is not told again. @param reason of the event on the object. */
export type FindingsTeller = (reason: string, findings: readonly Finding[]) => void;
