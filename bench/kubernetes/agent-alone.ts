/** An agent in a process of its own, which sends nowhere: what it needs itself. Prints `ready` when everything is known. */
import { PartitionAgents } from '#agents';
import { KubernetesApi } from '#agents/kubernetes';
import { preferLittleMemory } from '../../apps/agent/src/prefer-little-memory.js';
import { agentOf, clusterOf } from './agent.js';

preferLittleMemory();

const cluster = clusterOf(KubernetesApi.open({ kubeconfig: process.argv[2]! }));
const transport = { start: async () => {}, send: async () => {}, stop: async () => {} };
const agents = new PartitionAgents(
  cluster,
  transport,
  (partition, way) => agentOf(cluster, partition, way),
  console.error,
);
await agents.start();
process.send?.('ready');
