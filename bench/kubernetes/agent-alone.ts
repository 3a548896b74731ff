/** An agent in a process of its own, which sends nowhere: what it needs itself. Says `ready` when everything is known. */
import { Agent, Sequence } from '@curtail/agents';
import { KubernetesApi } from '@curtail/agents/kubernetes';
import { clusterOf } from './cluster.js';

const cluster = clusterOf(KubernetesApi.open({ kubeconfig: process.argv[2]! }));
const agent = new Agent({
  partition: 'default',
  reports: cluster,
  configuration: cluster,
  evictor: cluster.evictor,
  transport: { start: async () => {}, send: async () => {}, stop: async () => {} },
  sequence: new Sequence(Date.now()),
  now: Date.now,
  onTrouble: (what, error) => console.error(what, error.message),
});
await agent.start();
process.send?.('ready');
