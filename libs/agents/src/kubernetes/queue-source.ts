import type { AllocationReport } from '../inventory-changes.js';
import type { ConfigurationOutcome, SourceConfiguration } from '../port.js';
import type { KubernetesObject } from './objects.js';
import type { PodWork } from './pod-work.js';
import type { Mirror } from './reflector.js';
import type { Replica } from './replica.js';

/** The place of a pod, with values of its scheduler; for absent values those of the pod count. */
export interface FieldOfObject {
  partition: string;
  queue: string;
  application?: { id: string; user?: string; submittedAt?: string };
  role?: NonNullable<AllocationReport['role']>;
  allowPreemption?: boolean;
  /** The node where the scheduler has allocated room, even if the pod is not bound yet. */
  node?: string;
}

export interface QueueListener {
  /** The places of these pods may have changed; absent: of any pod and any node. */
  moved(uids?: Iterable<string>): void;
  /** Anything else has changed: a partition, a configuration, or the source is synced again. */
  changed(): void;
}

/** Queues and quotas of a cluster, and the places of its pods. */
export interface QueueSource {
  /** Each has its own inventory. */
  readonly partitions: readonly string[];
  /** Resolves when the place of every pod is known. */
  start(listener: QueueListener): Promise<void>;
  stop(): Promise<void>;
  /** Undefined: the pod is in no queue, or its queue is not known yet. */
  place(pod: PodWork): FieldOfObject | undefined;
  partitionOfNode(node: string): string | undefined;
  /** Whether nothing may be evicted from a namespace, since what is guaranteed there is not known; absent: it always is. */
  isSpared?(namespace: string): boolean;
  configuration(partition: string): SourceConfiguration | undefined;
  recordOutcome(partition: string, outcome: ConfigurationOutcome): Promise<void>;
  /** Whether its changes arrive. */
  isSynced(partition: string): boolean;
  /** Checks the source now, if it must be polled. */
  isCurrent(partition: string): Promise<boolean>;
}

/** The watches that a source of queues shares with the rest of the agent. */
export interface SharedWatches {
  namespaces: Replica<KubernetesObject>;
  /** Running and pending pods without a place. */
  unplaced: () => Iterable<PodWork>;
  /** Whether a pod of this uid runs or is pending. */
  isThere: (uid: string) => boolean;
  /** Keeps a mirror of one kind of object, from the start of the cluster's other watches on. */
  watch: <T extends KubernetesObject>(
    path: string,
    keep: (object: T) => T,
    mirror: Mirror<T>,
    query?: Readonly<Record<string, string>>,
  ) => void;
  reportFindings: FindingsReporter;
  onTrouble: (what: string, error: Error) => void;
}

/** A problem of an object of the cluster, for its owner. */
export interface Finding {
  severity: 'error' | 'warning';
  /** The object: `ResourceQuota team-a/compute`. */
  object: {
    kind: 'Namespace' | 'ResourceQuota' | 'ConfigMap';
    namespace: string;
    name: string;
    uid: string;
  };
  /** The field of the object, such as `spec.hard["requests.cpu"]`. */
  field: string;
  code: string;
  /** One sentence with the problem and the remedy, and what holds until then. */
  message: string;
  /** Whether what was written there has no effect. */
  isIgnored?: boolean;
}

/** The object in words: `ResourceQuota team-a/compute`, `Namespace team-a`. */
export const placeOfObject = ({ kind, namespace, name }: Finding['object']): string =>
  kind === 'Namespace' ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;

/** Reports all current findings; those of the last call are not reported again. @param reason the reason of the event on the object. */
export type FindingsReporter = (reason: string, findings: readonly Finding[]) => void;

export interface FindingsOptions {
  /** Shows it to the operator of the agent. */
  onFinding: (finding: Finding) => void;
  /** Writes an event on the object. */
  event: (reason: string, finding: Finding) => void;
}

/** Reports problems of objects in the cluster: each once, and again if it was fixed and returned. */
export class ObjectFindings {
  private readonly reported = new Map<string, Set<string>>();

  constructor(private readonly options: FindingsOptions) {}

  /** @param reason the reason of the event; `findings` are all current ones with this reason. */
  report(reason: string, findings: readonly Finding[]): void {
    const before = this.reported.get(reason) ?? new Set();
    const now = new Set<string>();
    for (const finding of findings) {
      const { object, field, code, message } = finding;
      const key = JSON.stringify([object.uid, field, code, message]);
      if (now.has(key)) continue;
      now.add(key);
      if (before.has(key)) continue;
      this.options.onFinding(finding);
      this.options.event(reason, finding);
    }
    this.reported.set(reason, now);
  }
}
