import { type ClusterUnderTest, clusterDriverContract } from '../../../../test/contracts/cluster-driver.js';
import { createSimulatedDatabase } from '../../../../test/support/simulated.js';
import { clear, place } from './place.js';
import { SimulatedCluster } from './simulated-cluster.js';

clusterDriverContract('simulated', async (): Promise<ClusterUnderTest> => {
  const { dataSource, close } = await createSimulatedDatabase();
  let now = Date.parse('2026-11-21T10:00:00Z');
  const driver = new SimulatedCluster(dataSource, () => new Date(now));
  return {
    driver,
    db: dataSource,
    close,
    async fill(partition, work) {
      await clear(dataSource, partition);
      await place(dataSource, partition, work);
    },
    recreate: (partition, allocation) => place(dataSource, partition, { allocations: [allocation] }),
    refuse: (partition, { application, queue }, times) =>
      place(dataSource, partition, {
        applications: [{ id: application, queue, properties: { refuseEvictions: times } }],
      }),
    async pass(seconds) {
      now += seconds * 1000;
    },
  };
});
