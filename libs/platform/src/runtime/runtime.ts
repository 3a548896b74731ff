import { migrateDatabase, openDatabase, WakeListener } from '@curtail/event-store';
import { type EventBus, InProcessBus } from '@curtail/messaging';
import { migrations } from '@curtail/migrations';
import { BullmqDoorbell, type Doorbell } from '@curtail/timers';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { RepeatedWarning } from '../logging/repeated-warning.js';
import type { Metrics } from '../metrics/metrics.js';
import type { Shutdown } from '../shutdown/shutdown.js';
import type { CurtailSettings } from './curtail-settings.js';
import { KeptPostgres } from './kept-postgres.js';

/** What the services of a process share: the database, the bus and the doorbell. */
export interface Runtime {
  databaseUrl: string;
  database: DataSource;
  bus: EventBus;
  doorbell: Doorbell;
}

/** Starts or finds the database, brings its tables up to date, and opens everything on it. */
export async function openRuntime(
  settings: CurtailSettings,
  log: Logger,
  metrics: () => Metrics | undefined,
): Promise<{ runtime: Runtime; endWith: (shutdown: Shutdown) => void }> {
  const endings: ((shutdown: Shutdown) => void)[] = [];
  const databaseUrl = settings.databaseUrl ?? (await startDatabase(settings, log, endings));
  const applied = await migrateDatabase(databaseUrl, migrations);
  if (applied.length > 0) log.info(`The database is up to date: ${applied.length} migrations were applied.`);

  let closing = false;
  const lostConnection = new RepeatedWarning(
    log,
    'A connection to the database was lost; a new one is made.',
  );
  const doorbellTrouble = new RepeatedWarning(log, 'The doorbell has trouble; overdue timers are swept up.');
  const notWoken = new RepeatedWarning(
    log,
    'Not woken by the database for the moment; it is looked at now and then.',
  );
  const consumerWaits = new RepeatedWarning(log, 'A consumer tries again.');
  const database = await openDatabase(databaseUrl, {
    poolSize: settings.databasePool,
    onPoolError: (error) => {
      // A connection may close after the server has gone, at the end; that is no loss.
      if (!closing) lostConnection.say(error);
    },
  });
  const wake = new WakeListener(databaseUrl, (error) => notWoken.say(error));
  await wake.start();
  const doorbell = await BullmqDoorbell.openOnPostgres({
    databaseUrl,
    name: 'curtail-timers',
    onError: (error) => doorbellTrouble.say(error),
  });
  const bus = new InProcessBus({
    database,
    wake,
    onParked: (consumer, eventId, reason) => {
      metrics()?.deadLetterParked(consumer);
      log.error({ consumer, eventId }, `An event was put aside, since it cannot be handled: ${reason}`);
    },
    onError: (consumer, error) => consumerWaits.say(error, { consumer }),
  });

  endings.push((shutdown) => {
    shutdown.register('pools', 'the database connections', () => {
      closing = true;
      return database.destroy();
    });
    shutdown.register('pools', 'the wake-up connection', () => wake.stop());
    shutdown.register('workers', 'the doorbell', () => doorbell.close());
    shutdown.register('consumers', 'the consumers', () => bus.stop());
  });
  return {
    runtime: { databaseUrl, database, bus, doorbell },
    endWith: (shutdown) => {
      for (const end of endings) end(shutdown);
    },
  };
}

async function startDatabase(
  settings: CurtailSettings,
  log: Logger,
  endings: ((shutdown: Shutdown) => void)[],
): Promise<string> {
  const server = await KeptPostgres.start({ dataDir: settings.dataDir }, log);
  endings.push((shutdown) => {
    shutdown.register('postgres', 'PostgreSQL', () => server.stop());
    server.whenLost(() => void shutdown.run(1));
  });
  return server.url;
}
