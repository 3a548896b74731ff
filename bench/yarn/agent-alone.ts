/** An agent in a process of its own, which sends nowhere: what it needs itself. Sends a message when everything is known. */
import { Agent, PartitionAgents, Sequence } from '#agents';
import { preferLittleMemory } from '../../apps/agent/src/prefer-little-memory.js';
import { clusterAt } from './cluster.js';

preferLittleMemory();

const { cluster } = clusterAt(process.argv[2] ?? '');
const transport = { start: async () => {}, send: async () => {}, stop: async () => {} };
const agentOf = (partition: string) => {
  const part = cluster.partition(partition);
  return new Agent({
    ...{ partition, reports: part, configuration: part, evictor: cluster.evictor, transport },
    ...{ sequence: new Sequence(Date.now()), now: Date.now },
    onTrouble: (what, error) => console.error(what, error.message),
  });
};
await new PartitionAgents(cluster, transport, agentOf, console.error).start();
process.send?.('ready');
