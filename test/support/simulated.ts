import { DataSource } from 'typeorm';
import { openDatabase } from '#event-store';
import { SimulatedCluster1763740002000 } from '../../migrations/1763740002000-simulated-cluster.js';
import { SimulatedEvictions1763740005000 } from '../../migrations/1763740005000-simulated-evictions.js';
import { Inventory1763740007000 } from '../../migrations/1763740007000-inventory.js';
import { SimulatedStories1763740014000 } from '../../migrations/1763740014000-simulated-stories.js';
import { FairShareHints1763740022000 } from '../../migrations/1763740022000-fair-share-hints.js';
import { LiveWork1763740025000 } from '../../migrations/1763740025000-live-work.js';
import { SimulatedUsage1763740029310 } from '../../migrations/1763740029310-simulated-usage.js';
import { ProtectedAllocations1763740029600 } from '../../migrations/1763740029600-protected-allocations.js';
import { SimulatedBehavior1763740030600 } from '../../migrations/1763740030600-simulated-behavior.js';
import { InventoryCare1763745300000 } from '../../migrations/1763745300000-inventory-care.js';
import { createTestDatabase } from './database.js';

/** Adds the tables of the simulated cluster to an empty database. */
export async function openSimulatedDatabase(url: string): Promise<DataSource> {
  const migrating = new DataSource({
    type: 'postgres',
    url,
    migrations: [
      SimulatedCluster1763740002000,
      SimulatedEvictions1763740005000,
      Inventory1763740007000,
      SimulatedStories1763740014000,
      FairShareHints1763740022000,
      LiveWork1763740025000,
      SimulatedUsage1763740029310,
      ProtectedAllocations1763740029600,
      SimulatedBehavior1763740030600,
      InventoryCare1763745300000,
    ],
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
