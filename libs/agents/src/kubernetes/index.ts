export { type KubernetesAccess, KubernetesApi } from './api.js';
export { KubernetesCluster, type KubernetesClusterOptions } from './kubernetes-cluster.js';
export { NamespaceSource } from './namespaces/namespace-source.js';
export type { Finding, QueueSource, SharedWatches } from './queue-source.js';
