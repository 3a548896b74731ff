import type {
  Container,
  ContainerStatus,
  KubernetesNode,
  KubernetesObject,
  ObjectMeta,
  Pod,
  PodDisruptionBudget,
  ResourceQuota,
} from './objects.js';

/** Labels and annotations that are read; an object may have many more. Absent labels: all, since any selector may name them. */
export interface KeptKeys {
  labels?: ReadonlySet<string>;
  annotations: ReadonlySet<string>;
}

/** Copies the kept fields of a pod, so that the rest of the answer can be collected. */
export function keepPod(pod: Pod, keys: KeptKeys): Pod {
  const { spec, status } = pod;
  return {
    metadata: keepMeta(pod.metadata, keys),
    spec: {
      ...kept('nodeName', spec.nodeName),
      ...kept('priority', spec.priority),
      ...kept('priorityClassName', spec.priorityClassName),
      ...kept('schedulerName', spec.schedulerName),
      ...kept('terminationGracePeriodSeconds', spec.terminationGracePeriodSeconds),
      containers: spec.containers.map(keepContainer),
      ...kept('initContainers', spec.initContainers?.map(keepContainer)),
      ...kept('overhead', spec.overhead),
      ...kept('resources', spec.resources),
    },
    status: {
      ...kept('phase', status?.phase),
      ...kept('startTime', status?.startTime),
      ...kept(
        'conditions',
        status?.conditions?.flatMap((condition) => {
          if (condition.type === 'Ready') return [{ type: 'Ready', status: condition.status }];
          return condition.type === 'PodResizePending' ? [condition] : [];
        }),
      ),
      ...kept('containerStatuses', status?.containerStatuses?.filter(hasResources).map(keepStatus)),
      ...kept('initContainerStatuses', status?.initContainerStatuses?.filter(hasResources).map(keepStatus)),
      ...kept('resources', status?.resources),
      ...kept('allocatedResources', status?.allocatedResources),
    },
  };
}

export const keepNode = ({ metadata, spec, status }: KubernetesNode): KubernetesNode => ({
  metadata: keepMeta(metadata, 'all'),
  spec: kept('unschedulable', spec?.unschedulable),
  status: kept('allocatable', status?.allocatable),
});

export const keepNamespace = ({ metadata }: KubernetesObject): KubernetesObject => ({
  metadata: keepMeta(metadata, 'all'),
});

export const keepBudget = ({ metadata, spec, status }: PodDisruptionBudget): PodDisruptionBudget => ({
  metadata: {
    ...keepMeta(metadata, { labels: new Set(), annotations: new Set() }),
    ...kept('generation', metadata.generation),
    ownerReferences: [],
  },
  spec: {
    ...kept('selector', spec?.selector),
    ...kept('unhealthyPodEvictionPolicy', spec?.unhealthyPodEvictionPolicy),
  },
  status: {
    ...kept('disruptionsAllowed', status?.disruptionsAllowed),
    ...kept('currentHealthy', status?.currentHealthy),
    ...kept('desiredHealthy', status?.desiredHealthy),
    ...kept('observedGeneration', status?.observedGeneration),
  },
});

export const keepQuota = ({ metadata, spec }: ResourceQuota): ResourceQuota => ({
  metadata: keepMeta(metadata, 'all'),
  ...kept('spec', spec),
});

function keepMeta(meta: ObjectMeta, keys: KeptKeys | 'all'): ObjectMeta {
  const only = (from: ObjectMeta['labels'], names: ReadonlySet<string> | undefined) =>
    from && names ? Object.fromEntries(Object.entries(from).filter(([name]) => names.has(name))) : from;
  return {
    name: meta.name,
    ...kept('namespace', meta.namespace),
    uid: meta.uid,
    resourceVersion: meta.resourceVersion,
    ...kept('creationTimestamp', meta.creationTimestamp),
    ...kept('deletionTimestamp', meta.deletionTimestamp),
    ...kept('labels', only(meta.labels, keys === 'all' ? undefined : keys.labels)),
    ...kept('annotations', only(meta.annotations, keys === 'all' ? undefined : keys.annotations)),
    ...kept('ownerReferences', meta.ownerReferences),
  };
}

const keepContainer = ({ name, resources, restartPolicy }: Container): Container => ({
  name,
  ...kept('resources', resources?.requests && { requests: resources.requests }),
  ...kept('restartPolicy', restartPolicy),
});

const hasResources = ({ resources }: ContainerStatus) => resources !== undefined;
const keepStatus = ({ name, resources, allocatedResources }: ContainerStatus): ContainerStatus => ({
  name,
  ...kept('resources', resources?.requests ? { requests: resources.requests } : resources && {}),
  ...kept('allocatedResources', allocatedResources),
});

function kept<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]: V });
}
