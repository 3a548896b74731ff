import { Agent, type AgentTransport, Sequence } from '#agents';
import { type KubernetesApi, KubernetesCluster, NamespaceSource } from '#agents/kubernetes';

/** An agent's knowledge of the cluster. */
export function clusterOf(api: KubernetesApi): KubernetesCluster {
  return new KubernetesCluster({
    api,
    mode: () => 'enforce',
    queues: (shared) => new NamespaceSource(shared, { partition: 'default', delay: '0' }),
    originators: [{ label: 'spark-role', value: 'driver' }],
    protectedNamespaces: new Set(['kube-system']),
    now: () => new Date(),
    onTrouble: (what, error) => console.error(what, error.message),
    onFinding: () => {},
  });
}

/** The agent of a partition, with queues from namespaces. */
export function agentOf(cluster: KubernetesCluster, partition: string, transport: AgentTransport): Agent {
  const part = cluster.partition(partition);
  return new Agent({
    partition,
    reports: part,
    configuration: part,
    evictor: cluster.evictor,
    transport,
    sequence: new Sequence(Date.now()),
    now: Date.now,
    onTrouble: (what, error) => console.error(what, error.message),
  });
}
