import type { Resources } from '#contracts';
import type { AllocationReport } from '../inventory-changes.js';
import type { ObjectMeta, OwnerReference, Pod } from './objects.js';
import { podRequests } from './pod-requests.js';

/** A label that marks the pod on which its application depends, such as `spark-role=driver`. */
export interface LabelMatch {
  label: string;
  value: string;
}

export const protectLabel = 'curtail.io/protect';
export const applicationLabel = 'curtail.io/application';
/** Set by a workload that was notified of its eviction, and has saved its state. */
export const readyToGoAnnotation = 'curtail.io/ready-to-go';
/** RFC 3339: its work up to here is saved. */
export const checkpointedAtAnnotation = 'curtail.io/checkpointed-at';
/** The application does no work with fewer pods than this. */
export const gangAnnotation = 'curtail.io/gang-min-members';
/** YuniKorn's gang scheduling: JSON of the groups of an application, each with its `minMember`, on one of its pods. */
export const taskGroupsAnnotation = 'yunikorn.apache.org/task-groups';
export const userAnnotation = 'curtail.io/user';
/** The API server's default for a pod that sets none. */
const usualGraceSeconds = 30;
const mirrorAnnotation = 'kubernetes.io/config.mirror';

/** A pod as Curtail sees it: work on a node, or a request for room. */
export interface PodWork {
  /** `namespace/name`. */
  id: string;
  uid: string;
  /** The resourceVersion; it changes with every change of the pod. */
  version: string;
  namespace: string;
  application: string;
  user: string | undefined;
  priority: number;
  resources: Resources;
  submittedAt: string;
  /** Absent: it is pending. */
  bound?: {
    node: string;
    startedAt: string;
    role: NonNullable<AllocationReport['role']>;
    state: NonNullable<AllocationReport['state']>;
    allowPreemption: boolean;
    readyToGo?: true;
    checkpointedAt?: string;
  };
  /** As disruption budgets count it: `starting` while its containers have not all been started, then by its readiness. */
  condition: 'starting' | 'ready' | 'unready';
  /** Never to be evicted, by its own label. */
  isProtected: boolean;
  /** The object that created it, if any. */
  owner: OwnerReference | undefined;
  /** The pod's own grace period. */
  graceSeconds: number;
  scheduler: string | undefined;
  priorityClass: string | undefined;
  annotations: ObjectMeta['annotations'];
  labels: NonNullable<ObjectMeta['labels']>;
  /** Of the gang of its application, as this pod names it. */
  minMembers: number | undefined;
}

/** @returns undefined for a pod that has ended: it holds no resources. */
export function podWork(pod: Pod, originators: readonly LabelMatch[]): PodWork | undefined {
  const { metadata, spec, status } = pod;
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return undefined;
  const created = metadata.creationTimestamp ?? status?.startTime ?? '1970-01-01T00:00:00Z';
  const isLeaving = metadata.deletionTimestamp !== undefined;
  // A pod that is deleted before it has a node never gets one.
  if (spec.nodeName === undefined && isLeaving) return undefined;
  return {
    id: podId(metadata),
    uid: metadata.uid,
    version: metadata.resourceVersion,
    namespace: metadata.namespace ?? '',
    application: applicationOf(metadata),
    user: metadata.annotations?.[userAnnotation],
    priority: spec.priority ?? 0,
    resources: podRequests(pod),
    submittedAt: created,
    ...(spec.nodeName !== undefined && {
      bound: {
        node: spec.nodeName,
        startedAt: status?.startTime ?? created,
        role: roleOf(pod, originators),
        state: isLeaving ? ('releasing' as const) : ('running' as const),
        allowPreemption: true,
        ...(metadata.annotations?.[readyToGoAnnotation] === 'true' && { readyToGo: true as const }),
        ...checkpointOf(metadata.annotations?.[checkpointedAtAnnotation]),
      },
    }),
    condition: conditionOf(status),
    isProtected: isOn(metadata.labels?.[protectLabel]),
    owner: controllerOf(metadata),
    graceSeconds: spec.terminationGracePeriodSeconds ?? usualGraceSeconds,
    scheduler: spec.schedulerName,
    priorityClass: spec.priorityClassName,
    annotations: metadata.annotations,
    labels: metadata.labels ?? {},
    minMembers: minMembersOf(metadata.annotations ?? {}),
  };
}

function conditionOf(status: Pod['status']): PodWork['condition'] {
  if (status?.phase === undefined || status.phase === 'Pending') return 'starting';
  const isReady = status.conditions?.some((one) => one.type === 'Ready' && one.status === 'True');
  return isReady ? 'ready' : 'unready';
}

/** A time that cannot be read is none. */
function checkpointOf(written: string | undefined): { checkpointedAt?: string } {
  const ms = Date.parse(written ?? '');
  return Number.isNaN(ms) ? {} : { checkpointedAt: new Date(ms).toISOString() };
}

const mostMembers = 1_000_000;

/** Curtail's own annotation overrides the task groups of YuniKorn, whose minima add up. What cannot be read is no gang. */
function minMembersOf(annotations: NonNullable<ObjectMeta['annotations']>): number | undefined {
  const own = annotations[gangAnnotation];
  const count = own === undefined ? minMembersOfGroups(annotations[taskGroupsAnnotation]) : Number(own);
  return Number.isInteger(count) && count >= 1 && count <= mostMembers ? count : undefined;
}

function minMembersOfGroups(written: string | undefined): number {
  if (written === undefined) return Number.NaN;
  try {
    const groups: unknown = JSON.parse(written);
    if (!Array.isArray(groups)) return Number.NaN;
    return groups.reduce((sum: number, group) => sum + Number(group?.minMember), 0);
  } catch {
    return Number.NaN;
  }
}

export const podId = ({ namespace, name }: ObjectMeta): string => `${namespace ?? ''}/${name}`;

/** A label counts with any value but `false`. */
export const isOn = (value: string | undefined): boolean => value !== undefined && value !== 'false';

/**
 * Pods of one owner are one application: `namespace/Kind/name`. The pods of a Deployment belong to ReplicaSets, one for each of
 * its versions, whose names end with the hash that the pods carry as a label. A label of Curtail's own joins pods of several owners.
 */
function applicationOf(metadata: ObjectMeta): string {
  const { namespace = '', labels } = metadata;
  const named = labels?.[applicationLabel];
  if (named) return `${namespace}/${named}`;
  const owner = controllerOf(metadata);
  if (owner === undefined) return `${namespace}/Pod/${metadata.name}`;
  const hash = labels?.['pod-template-hash'];
  if (owner.kind === 'ReplicaSet' && hash && owner.name.endsWith(`-${hash}`)) {
    return `${namespace}/Deployment/${owner.name.slice(0, -hash.length - 1)}`;
  }
  return `${namespace}/${owner.kind}/${owner.name}`;
}

export function controllerOf({ ownerReferences = [] }: ObjectMeta): OwnerReference | undefined {
  return ownerReferences.find(({ controller }) => controller) ?? ownerReferences[0];
}

function roleOf(
  { metadata }: Pod,
  originators: readonly LabelMatch[],
): NonNullable<AllocationReport['role']> {
  const isStatic = metadata.annotations?.[mirrorAnnotation] !== undefined;
  const owner = controllerOf(metadata)?.kind;
  if (isStatic || owner === 'DaemonSet' || owner === 'Node') return 'daemon';
  const isOriginator = originators.some(({ label, value }) => metadata.labels?.[label] === value);
  return isOriginator ? 'originator' : 'task';
}
