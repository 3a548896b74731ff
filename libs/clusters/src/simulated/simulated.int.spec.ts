import { DataSource } from 'typeorm';
import { SimulatedCluster1763740002000 } from '../../../../migrations/1763740002000-simulated-cluster.js';
import { type ClusterUnderTest, clusterDriverContract } from '../../../../test/contracts/cluster-driver.js';
import { createTestDatabase } from '../../../../test/support/database.js';
import { clear } from './clear.js';
import { place } from './place.js';
import { SimulatedCluster } from './simulated-cluster.js';

clusterDriverContract('simulated', async (): Promise<ClusterUnderTest> => {
  const database = await createTestDatabase();
  const dataSource = new DataSource({
    type: 'postgres',
    url: database.url,
    migrations: [SimulatedCluster1763740002000],
  });
  await dataSource.initialize();
  await dataSource.runMigrations();
  let now = Date.parse('2026-11-21T10:00:00Z');
  const driver = new SimulatedCluster(dataSource, () => new Date(now));
  return {
    driver,
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
    async close() {
      await dataSource.destroy();
      await database.drop();
    },
  };
});
