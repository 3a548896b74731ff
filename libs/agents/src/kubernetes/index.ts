export { YunikornApi } from '../yunikorn/yunikorn-api.js';
export { type Call, type KubernetesAccess, KubernetesApi } from './api.js';
export { KubernetesCluster, type KubernetesClusterOptions } from './kubernetes-cluster.js';
export { NamespaceSource } from './namespaces/namespace-source.js';
export type { Finding, QueueSource, SharedWatches } from './queue-source.js';
export { allowPreemptionAnnotation, YunikornSource } from './yunikorn/yunikorn-source.js';
