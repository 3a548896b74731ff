/**
 * The fields of Kubernetes API objects that are read here. All other fields are dropped as soon as an answer is parsed: a pod of the API
 * server has some kilobytes, its kept fields some hundred bytes.
 */

/** Amounts as the API writes them, such as `500m` or `2Gi`. */
export type ResourceList = Readonly<Record<string, string>>;

export interface OwnerReference {
  kind: string;
  name: string;
  uid: string;
  apiVersion?: string;
  controller?: boolean;
}

export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
  /** Of its specification; absent where it is not read. */
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Readonly<Record<string, string>>;
  annotations?: Readonly<Record<string, string>>;
  ownerReferences?: readonly OwnerReference[];
}

export interface KubernetesObject {
  metadata: ObjectMeta;
}

interface Requirements {
  requests?: ResourceList;
}

export interface Container {
  name: string;
  resources?: Requirements;
  /** `Always` on an init container makes it a sidecar. */
  restartPolicy?: string;
}

export interface ContainerStatus {
  name: string;
  resources?: Requirements;
  allocatedResources?: ResourceList;
}

export interface Pod extends KubernetesObject {
  spec: {
    nodeName?: string;
    priority?: number;
    priorityClassName?: string;
    schedulerName?: string;
    terminationGracePeriodSeconds?: number;
    containers: readonly Container[];
    initContainers?: readonly Container[];
    overhead?: ResourceList;
    /** Of the pod as a whole. */
    resources?: Requirements;
    schedulingGates?: readonly unknown[];
  };
  status?: {
    phase?: string;
    startTime?: string;
    conditions?: readonly { type: string; status: string; reason?: string; lastTransitionTime?: string }[];
    containerStatuses?: readonly ContainerStatus[];
    initContainerStatuses?: readonly ContainerStatus[];
    /** Of the pod as a whole. */
    resources?: Requirements;
    allocatedResources?: ResourceList;
  };
}

export interface KubernetesNode extends KubernetesObject {
  spec?: { unschedulable?: boolean };
  status?: { allocatable?: ResourceList };
}

export type Namespace = KubernetesObject;

export interface ResourceQuota extends KubernetesObject {
  spec?: { hard?: ResourceList; scopes?: readonly string[]; scopeSelector?: unknown };
}

interface LabelRequirement {
  key: string;
  operator: string;
  values?: readonly string[];
}

/** One without entries selects everything. */
export interface LabelSelector {
  matchLabels?: Readonly<Record<string, string>>;
  matchExpressions?: readonly LabelRequirement[];
}

export interface PodDisruptionBudget extends KubernetesObject {
  /** Without a selector it has no pods. */
  spec?: {
    selector?: LabelSelector;
    /** Absent: IfHealthyBudget. */
    unhealthyPodEvictionPolicy?: string;
  };
  status?: {
    disruptionsAllowed?: number;
    currentHealthy?: number;
    desiredHealthy?: number;
    /** The generation that the other fields are about. */
    observedGeneration?: number;
  };
}

export type PriorityClass = KubernetesObject;

export interface ConfigMap extends KubernetesObject {
  data?: Readonly<Record<string, string>>;
  /** Values in base64. */
  binaryData?: Readonly<Record<string, string>>;
}

/** The API server's description of an error. */
export interface KubernetesStatus {
  kind?: string;
  status?: string;
  code?: number;
  reason?: string;
  message?: string;
  details?: {
    name?: string;
    /** In the plural: `pods`. */
    kind?: string;
    retryAfterSeconds?: number;
    causes?: readonly { reason?: string; message?: string }[];
  };
}

/** Node's error codes for a certificate that does not prove the identity of the server. */
const codes = /^(ERR_TLS_|CERT_|DEPTH_|SELF_SIGNED_|UNABLE_TO_)/;

/** Whether a connection failed because the certificate of the server cannot be trusted. */
export const isUntrusted = ({ code = '' }: { code?: string }): boolean => codes.test(code);
