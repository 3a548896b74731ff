import { DataSource } from 'typeorm';
import { openDatabase } from '#event-store';
import { Clusters1764200005000 } from '../../migrations/1764200005000-clusters.js';
import { createTestDatabase } from './database.js';

/** Adds the tables of the simulated cluster to an empty database. */
export async function openSimulatedDatabase(url: string): Promise<DataSource> {
  const migrating = new DataSource({
    type: 'postgres',
    url,
    migrations: [Clusters1764200005000],
  });
  await migrating.initialize();
  await migrating.runMigrations({ transaction: 'each' });
  await migrating.destroy();
  return openDatabase(url);
}

/** A database of its own with the tables of the simulated cluster. */
export async function createSimulatedDatabase(): Promise<{ dataSource: DataSource; close(): Promise<void> }> {
  const database = await createTestDatabase();
  const dataSource = await openSimulatedDatabase(database.url);
  return {
    dataSource,
    async close() {
      await dataSource.destroy();
      await database.drop();
    },
  };
}
