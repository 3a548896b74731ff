export { type AgentRole, calls, callsFor, type Purpose, purposesOf } from './access/calls.js';
export { assertDeclared } from './access/declared.js';
export { type CallGuard, type KubernetesAccess, KubernetesApi } from './api.js';
export { KubernetesCluster, type KubernetesClusterOptions } from './kubernetes-cluster.js';
