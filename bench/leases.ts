import { SimulatedCluster } from '#clusters';
import { migrateDatabase, openDatabase } from '#event-store';
import { migrations } from '#migrations';
import { startEmbeddedPostgres } from '#platform';
import { EndLeases } from '../apps/timer/src/end-leases.js';
import { WakeUps } from '../apps/timer/src/wake-ups/wake-ups.js';
import { silentWakeUpQueue } from '../apps/timer/testing/silent-wake-up-queue.js';
import { timerSettings } from '../apps/timer/testing/timer-settings.js';
import { machineClock } from '../test/support/machine-clock.js';
import { beginRuns, placeQueues } from '../test/support/running-clocks.js';
import { seconds } from './measure.js';
import { count, report } from './report.js';
import { withFolder } from './temporary-folder.js';

const LEASES = 10_000;
const MOST_MS = 10_000;

/** Measures how long the timer takes to give up runs that no one renews, all in one partition, on a durable database. */
export async function benchLeases(): Promise<void> {
  await withFolder(async (folder) => {
    const server = await startEmbeddedPostgres({ dataDir: folder });
    await migrateDatabase(server.url, migrations);
    const db = await openDatabase(server.url);
    try {
      const settings = { ...timerSettings(), leaseMs: 0 };
      const cluster = new SimulatedCluster(db);
      const wakeUps = new WakeUps(silentWakeUpQueue, machineClock);
      await placeQueues(db, 'default', LEASES);
      await beginRuns({ db, cluster, wakeUps, settings }, 'default', LEASES);
      await db.query("UPDATE clocks SET lease_until = now() - interval '1 hour'");
      const begun = performance.now();
      await new EndLeases(db, cluster, settings, wakeUps).sweep('default');
      const took = performance.now() - begun;
      const [{ left }] = await db.query(
        'SELECT count(*)::int AS left FROM clocks WHERE running_enforcement IS NOT NULL',
      );
      report('Leases that are over', [
        {
          what: `${count(LEASES - left)} of ${count(LEASES)} given up, their queues with new clocks`,
          measured: seconds(took),
          target: `<= ${seconds(MOST_MS)}`,
          met: left === 0 && took <= MOST_MS,
        },
      ]);
    } finally {
      await db.destroy();
      await server.stop();
    }
  });
}
