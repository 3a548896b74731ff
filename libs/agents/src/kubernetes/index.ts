export { readPartitions, readQueues, readVersion } from '../yunikorn/answers.js';
export { YunikornApi } from '../yunikorn/yunikorn-api.js';
export { type AgentRole, callsFor, type Purpose, purposesOf } from './access/calls.js';
export { assertDeclared } from './access/declared.js';
export {
  grantCommands,
  type MissingRight,
  missingRights,
  type Namespaces,
  nameOf,
  whoAmI,
} from './access/missing-rights.js';
export { type RoleRule, rolesFor } from './access/roles.js';
export { type Call, type CallGuard, type KubernetesAccess, KubernetesApi } from './api.js';
export { podNamespace } from './kubeconfig.js';
export { KubernetesCluster, type KubernetesClusterOptions } from './kubernetes-cluster.js';
export { Leadership, type Term } from './lease/leadership.js';
export { namespaceQueues } from './namespaces/namespace-queues.js';
export { NamespaceSource } from './namespaces/namespace-source.js';
export type { Namespace, ResourceQuota } from './objects.js';
export { protectedNamespaces } from './protected-namespaces.js';
export { type Finding, placeOf, type QueueSource, type SharedWatches } from './queue-source.js';
export { preemptionTwice } from './yunikorn/preemption-twice.js';
export { allowPreemptionAnnotation, YunikornSource } from './yunikorn/yunikorn-source.js';
