/** An agent in a process of its own, which sends nowhere: what it needs itself. Tells when everything is known. */
import { Agent, PartitionAgents, Sequence } from '#agents';
import { YtApi, YtsaurusCluster } from '#agents/ytsaurus';
import { preferLittleMemory } from '../../apps/agent/src/prefer-little-memory.js';

preferLittleMemory();

const onTrouble = (what: string, error: Error) => console.error(what, error.message);
const cluster = new YtsaurusCluster({
  api: new YtApi({ url: process.argv[2]! }),
  tree: 'physical',
  mode: () => 'enforce',
  now: () => new Date(),
  onTrouble,
});
const transport = { start: async () => {}, send: async () => {}, stop: async () => {} };
const agents = new PartitionAgents(
  cluster,
  transport,
  (partition, way) => {
    const part = cluster.partition(partition);
    return new Agent({
      ...{ partition, reports: part, configuration: part, evictor: cluster.evictor, transport: way },
      ...{ sequence: new Sequence(Date.now()), now: Date.now, onTrouble },
    });
  },
  onTrouble,
);
await agents.start();
process.send?.('ready');
