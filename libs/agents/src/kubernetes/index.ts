export { type Call, type KubernetesAccess, KubernetesApi } from './api.js';
export { KubernetesCluster, type KubernetesClusterOptions } from './kubernetes-cluster.js';
