export { readYunikornPartitions, readYunikornQueues, readYunikornVersion } from '../yunikorn/answers.js';
export { YunikornApi } from '../yunikorn/yunikorn-api.js';
export { type AgentRole, callsFor, type Purpose, purposesOf } from './access/calls.js';
export { applyCommand, grantManifest, rolesFor } from './access/grant-manifest.js';
export {
  assertDeclared,
  missingRights,
  type Namespaces,
  nameOfRight,
  whoAmI,
} from './access/missing-rights.js';
export { type Call, type CallGuard, KubernetesApi } from './api.js';
export { podNamespace } from './kubeconfig.js';
export { KubernetesCluster } from './kubernetes-cluster.js';
export { KubernetesError } from './kubernetes-error.js';
export { Leadership } from './lease/leadership.js';
export { namespaceQueues } from './namespaces/namespace-queues.js';
export { NamespaceSource } from './namespaces/namespace-source.js';
export { protectedNamespaces } from './namespaces/parents.js';
export type { Namespace, ResourceQuota } from './objects.js';
export { placeOfObject, type QueueSource, type SharedWatches } from './queue-source.js';
export { preemptionTwice } from './yunikorn/read-yunikorn.js';
export { allowPreemptionAnnotation, YunikornSource } from './yunikorn/yunikorn-source.js';
