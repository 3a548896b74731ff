import { FakeYtsaurus } from '../../../../test/clusters/ytsaurus/fake-ytsaurus.js';
import { clusterAgentContract } from '../../../../test/contracts/cluster-agent.js';
import { YtApi } from './yt-api.js';
import { YtsaurusCluster } from './ytsaurus-cluster.js';

/** Looks follow each other this closely. */
const everyMs = 50;

clusterAgentContract('YTsaurus, with a cluster that is played', async () => {
  const fake = await new FakeYtsaurus().up();
  const { world } = fake;
  world.addTree('physical');
  world.addPool('physical', 'prod');
  world.addNode('n1:9012', { cpu: 10, memory: 1000, user_slots: 10 }, 'physical');
  const operation = world.addOperation({ pool: 'prod', job: { cpu: 1 }, pending: 1, retries: false });
  // Within the time of every request.
  operation.finishesAfterMs = 1_000_000;
  let mode: 'observe' | 'enforce' = 'enforce';
  const api = new YtApi({ url: fake.url, token: async () => 't' });
  const cluster = new YtsaurusCluster({
    ...{ api, tree: 'physical', everyMs, mode: () => mode },
    now: () => new Date(),
    onTrouble: () => {},
  });
  await cluster.start(() => {});
  return {
    partition: 'physical',
    ...{ reports: cluster.partition('physical'), evictor: cluster.evictor },
    begin: async () => world.startJob(operation, 'n1:9012').id,
    end: async (allocation) => {
      const job = world.jobs.get(allocation);
      if (job !== undefined) world.endJob(job, 'completed');
    },
    // Ids are never used again.
    replace: async () => 'ffff-0-0-0',
    // A repetition has the same mutation id.
    evictions: async () => [
      ...new Map(
        fake.callsOf('abort_job').map(({ mutation_id, job_id }) => [mutation_id, String(job_id)]),
      ).values(),
    ],
    observe: () => {
      mode = 'observe';
    },
    loseNextAnswer: () => {
      fake.trouble = ({ command }) => {
        if (command !== 'abort_job') return undefined;
        fake.trouble = () => undefined;
        return { losesAnswer: true };
      };
    },
    cut: () => fake.down(),
    restore: async () => void (await fake.up()),
    close: async () => {
      await cluster.stop();
      api.close();
      await fake.down();
    },
  };
});
