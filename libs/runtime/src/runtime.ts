import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ReportsWatermark } from '#clusters';
import { counted } from '#contracts';
import {
  addPartitionsAhead,
  DatabaseClock,
  durabilityWarnings,
  migrateDatabase,
  type SessionFault,
  sessionFaults,
  WakeListener,
} from '#event-store';
import type { EventBus, LineSender, Republisher } from '#messaging';
import { migrations } from '#migrations';
import {
  databaseAway,
  databaseUnusable,
  type Metrics,
  RepeatedWarning,
  SettingsError,
  type Shutdown,
  type WaitingForServers,
} from '#platform';
import type { WakeUpQueue } from '#timers';
import {
  type Databases,
  openOperatorDatabase,
  openReaderDatabase,
  openScanDatabase,
  openServiceDatabase,
} from './databases.js';
import { LogKeeper } from './log-keeper.js';
import { openBus } from './open-bus.js';
import { openLineSender, openRepublisher, openWakeUpQueue, openWatermark } from './open-republisher.js';
import { RefusedWrites } from './refused-writes.js';
import { databaseCheck, type RuntimeSettings, type Servers } from './servers.js';

/** The database, the bus and the wake-up queue, shared by the services of a process. */
export interface Runtime extends Databases {
  databaseUrl: string;
  /** The time for all decisions. */
  clock: DatabaseClock;
  /** Notifies listeners of commits, its own and those of other processes. */
  wake: WakeListener;
  bus: EventBus;
  /** Absent if no app uses timers. */
  wakeUpQueue: WakeUpQueue | undefined;
  /** Absent without Kafka. */
  republisher?: Republisher | undefined;
  /** Absent without Kafka. */
  lineSender?: LineSender | undefined;
  /** Whether the database takes writes. */
  writes: RefusedWrites;
  /** Absent if no scheduler reports over Kafka. */
  watermark?: ReportsWatermark | undefined;
}

export interface RuntimeContext {
  log: Logger;
  shutdown: Shutdown;
  metrics: () => Metrics | undefined;
  usesWakeUpQueue: boolean;
  /** An app takes the commands of operators. */
  takesCommands?: boolean;
  /** Given: waits for the database. Absent: an unreachable database is an error. */
  waiting?: WaitingForServers | undefined;
}

const pauseMs = 500;
const reportFromSeconds = 2;

/**
 * Brings the tables of the database up to date, and connects to all servers. Everything that has to be closed is
 * registered in `shutdown`, step by step. It waits only for the database: the other servers may start later.
 */
export async function openRuntime(
  databaseUrl: string,
  servers: Servers,
  settings: RuntimeSettings,
  context: RuntimeContext,
): Promise<Runtime> {
  const { log, shutdown, waiting } = context;
  const writes = refusedWrites(databaseUrl, context);
  const databases = await openWhenThere(databaseUrl, settings, writes, context).catch((error: Error) => {
    if (waiting || servers.databaseUrl === undefined || !databaseUnusable(error)) throw error;
    const wrong = `names a database that cannot be used (${error.message})`;
    const remedy = 'start it, or correct the address; without this setting, Curtail runs PostgreSQL itself';
    throw new SettingsError([{ variable: 'DATABASE_URL', wrong, remedy }]);
  });
  const { database } = databases;
  assertSession(await sessionFaults(database));
  for (const { setting, warning } of await durabilityWarnings(database)) log.warn({ setting }, warning);
  await addPartitionsAhead(database).catch((error) =>
    log.warn({ err: error }, 'Could not add the partitions of the log for the coming months; retrying.'),
  );
  const keeper = await LogKeeper.start(database, log);
  shutdown.register('pools', 'the log', () => keeper.stop());
  const clock = await DatabaseClock.start(database);
  shutdown.register('pools', 'the clock', async () => clock.stop());
  warnOfOwnClock(clock, log);
  const notWoken = new RepeatedWarning(log, 'LISTEN connection lost; polling until it returns.');
  const wake = new WakeListener(databaseUrl, (error) => notWoken.warn(error));
  await wake.start();
  shutdown.register('pools', 'the wake-up connection', () => wake.stop());
  const wakeUpQueue = context.usesWakeUpQueue
    ? await untilDatabaseBack(waiting, databaseUrl, log, () =>
        openWakeUpQueue({ databaseUrl, redis: servers.redis, clock }, context),
      )
    : undefined;
  const bus = await openBus(servers.kafka, settings, { ...context, database, wake });
  const republisher = openRepublisher(servers.kafka, shutdown);
  const lineSender = openLineSender(servers.kafka);
  const watermark = await openWatermark(servers.kafka, settings, { database, shutdown });
  return {
    databaseUrl,
    ...databases,
    writes,
    clock,
    wake,
    bus,
    wakeUpQueue,
    republisher,
    lineSender,
    watermark,
  };
}

function refusedWrites(databaseUrl: string, { log, shutdown, metrics }: RuntimeContext): RefusedWrites {
  const writes = new RefusedWrites(databaseUrl, (refusal, error) => {
    metrics()?.database.refusesWrites(refusal?.code);
    if (!refusal) return log.info('The database takes writes again.');
    const { code, title, remedy } = refusal;
    log.error({ err: error, code, remedy }, `${title}: nothing is recorded; retrying.`);
  });
  shutdown.register('pools', 'the check of writes', async () => writes.stop());
  return writes;
}

/** @throws SettingsError if the settings of a session do not reach the server. */
function assertSession(faults: readonly SessionFault[]): void {
  if (faults.length === 0) return;
  const list = faults.map(({ setting, is, mustBe }) => `${setting} is "${is}" there and must be "${mustBe}"`);
  throw new SettingsError([
    {
      variable: 'DATABASE_URL',
      wrong: `leads to a database that does not get the settings of its sessions: ${list.join('; ')}`,
      remedy: 'connect without a pooler, or with one that passes the option `options` of a connection on',
    },
  ]);
}

/** No decision uses the clock of this process, but readers of its log do. */
function warnOfOwnClock(clock: DatabaseClock, log: Logger): void {
  const seconds = Math.round(clock.ownSkewMs / 1000);
  if (Math.abs(seconds) < reportFromSeconds) return;
  log.warn(
    { skewMs: Math.round(clock.ownSkewMs) },
    `The clock of this machine is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} that of the database. ` +
      'Curtail uses the clock of the database; this log has timestamps of the local clock. Synchronize both clocks by NTP.',
  );
}

async function openWhenThere(
  databaseUrl: string,
  settings: RuntimeSettings,
  writes: RefusedWrites,
  { log, shutdown, waiting, takesCommands }: RuntimeContext,
): Promise<Databases> {
  const lostConnection = new RepeatedWarning(log, 'Lost a connection to the database; reconnecting.');
  const busyTables = new RepeatedWarning(
    log,
    'Could not migrate the tables while others hold locks on them; retrying.',
  );
  let closing = false;
  const onPoolError = (error: Error) => {
    // At the end a connection may close after the server has gone; nothing is lost.
    if (!closing) lostConnection.warn(error);
  };
  const errors = { onPoolError, onFailure: (error: unknown) => writes.note(error) };
  const database = await untilDatabaseBack(waiting, databaseUrl, log, async () => {
    const applied = await migrateDatabase(databaseUrl, migrations, {
      onBusy: (error) => busyTables.warn(error),
    });
    if (applied.length > 0)
      log.info(
        { migrations: applied.length },
        `Migrated the database: ${counted(applied.length, 'migration')} applied.`,
      );
    return openServiceDatabase(databaseUrl, settings, errors);
  });
  shutdown.register('pools', 'the database connections', () => {
    closing = true;
    return database.destroy();
  });
  if (!takesCommands)
    return { database, operatorDatabase: database, readerDatabase: database, scanDatabase: database };
  const opened = async (what: string, open: typeof openOperatorDatabase) => {
    const more = await untilDatabaseBack(waiting, databaseUrl, log, () =>
      open(databaseUrl, settings, errors),
    );
    shutdown.register('pools', `the connections of ${what}`, () => {
      closing = true;
      return more.destroy();
    });
    return more;
  };
  return {
    database,
    operatorDatabase: await opened('operators', openOperatorDatabase),
    readerDatabase: await opened('queries', openReaderDatabase),
    scanDatabase: await opened('replays', openScanDatabase),
  };
}

/** Waits again for a database that goes away during the start, if the start waits for it. */
async function untilDatabaseBack<T>(
  waiting: WaitingForServers | undefined,
  databaseUrl: string,
  log: Logger,
  step: () => Promise<T>,
): Promise<T> {
  for (;;) {
    await waiting?.until(databaseCheck(databaseUrl));
    try {
      return await step();
    } catch (error) {
      if (!waiting || !databaseAway(error)) throw error;
      log.warn({ err: error }, 'Lost the database during the start; retrying.');
      await delay(pauseMs);
    }
  }
}
