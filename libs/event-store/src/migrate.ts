import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { DataSource, type Logger, type MigrationInterface } from 'typeorm';
import { CurtailError, pauseAfter } from '#contracts';
import { LogError } from './known-event.js';
import { withSession } from './session-settings.js';

type MigrationClasses = readonly (new () => MigrationInterface)[];

/** Any value, as long as every process of Curtail uses the same one. */
const migrationLock = 7_301_442_019;
const turnEveryMs = 100;

export interface MigrateOptions {
  /** The maximum wait of a statement for a lock, which all later statements wait for too. Default 1000 ms. */
  lockTimeoutMs?: number;
  /** The time limit for retries to get the locks of a migration, default five minutes. */
  patienceMs?: number;
  /** Called before each retry: another session holds a required lock. */
  onBusy?: (error: Error) => void;
}

const pauseMs = { first: 250, longest: 5000 };

/**
 * Brings the tables up to date. Any number of processes may call it at once, also while older ones work: a lock of the
 * database serializes them. Each migration has a transaction of its own, unless it has `transaction = false`.
 *
 * A statement that waits for a lock blocks all later ones. So it gives up soon, its migration is rolled back, and is
 * retried after a pause in which the others proceed. During the pause the turn is released.
 *
 * @returns the names of the migrations that this call has applied.
 * @throws UnusableTables if the database is another program's, or from before 0.1.0; it stays as it is.
 * @throws if a migration fails, or does not get its locks in time.
 */
export async function migrateDatabase(
  url: string,
  migrations: MigrationClasses,
  options: MigrateOptions = {},
): Promise<string[]> {
  const { lockTimeoutMs = 1000, patienceMs = 300_000, onBusy = () => {} } = options;
  const applied: string[] = [];
  const began = performance.now();
  for (let tries = 1; ; tries++) {
    try {
      await inTurn(url, () => runPending(url, migrations, lockTimeoutMs, applied));
      return applied;
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (performance.now() - began > patienceMs) {
        throw new LogError(
          'tables-locked',
          `the tables could not be brought up to date within ${patienceMs / 1000} s, because other sessions hold locks on them (see pg_locks, pg_stat_activity): ${(error as Error).message}`,
          { cause: error },
        );
      }
      onBusy(error as Error);
      await delay(pauseAfter(tries, pauseMs));
    }
  }
}

/** The caller reports a failure, in one place. */
const silent: Logger = {
  logQuery() {},
  logQueryError() {},
  logQuerySlow() {},
  logSchemaBuild() {},
  logMigration() {},
  log() {},
};

async function inTurn(url: string, work: () => Promise<void>): Promise<void> {
  const turn = new pg.Client({ connectionString: withSession(url), application_name: 'curtail-migrate' });
  // The failing statement reports the loss; without a listener it would end the process.
  turn.on('error', () => {});
  await turn.connect();
  try {
    // It polls: a session that waits inside a statement holds a snapshot.
    for (;;) {
      const { rows } = await turn.query('SELECT pg_try_advisory_lock($1) AS mine', [migrationLock]);
      if (rows[0].mine) break;
      await delay(turnEveryMs);
    }
    await work();
  } finally {
    await turn.end();
  }
}

async function runPending(
  url: string,
  migrations: MigrationClasses,
  lockTimeoutMs: number,
  applied: string[],
): Promise<void> {
  const database = new DataSource({
    type: 'postgres',
    url: withSession(url, { lock_timeout: String(lockTimeoutMs) }),
    poolSize: 1,
    migrations: [...migrations],
    logger: silent,
  });
  await database.initialize();
  try {
    const before = await namesOf(database);
    assertOwnTables(before, migrations[0]?.name);
    try {
      await database.runMigrations({ transaction: 'each' });
    } finally {
      applied.push(...(await namesOf(database)).filter((name) => !before.includes(name)));
    }
  } finally {
    await database.destroy();
  }
}

/** Of all applied migrations, in their order. */
async function namesOf(database: DataSource): Promise<string[]> {
  const tables = await database.query<{ there: boolean }[]>(
    "SELECT to_regclass('migrations') IS NOT NULL AS there",
  );
  if (!tables[0]?.there) return [];
  // As JSON, since the table of another program may have other columns.
  const rows = await database.query<{ name: string }[]>(
    "SELECT coalesce(row ->> 'name', row ->> 'migration', row::text) AS name FROM (SELECT to_jsonb(m) AS row FROM migrations m) AS rows ORDER BY row -> 'id'",
  );
  return rows.map(({ name }) => name);
}

/** A lock was not granted within the `lock_timeout` of the session. */
export function isLockTimeout(error: unknown): boolean {
  return (error as { driverError?: { code?: unknown } }).driverError?.code === '55P03';
}

/** The first migration of builds before 0.1.0. */
const firstBeforeRelease = 'EventStore1763740001000';

/** The tables of a database are not those of this version, nor of one that it continues. Nothing in it was changed. */
export class UnusableTables extends CurtailError {
  private constructor(
    readonly code: 'database-too-old' | 'database-foreign',
    readonly reason: string,
    readonly remedy: string,
  ) {
    super(`${reason}: ${remedy}`);
  }

  static tooOld(): UnusableTables {
    return new UnusableTables(
      'database-too-old',
      'the database was made by a build of Curtail from before 0.1.0, which no version can continue',
      'start with a new database, or with another data folder. To keep the configurations, start the build that made it, write each into a ' +
        'file with curtail export --partition PARTITION, and apply the files here',
    );
  }

  /** @param first the migration that its list begins with. */
  static foreign(first: string): UnusableTables {
    return new UnusableTables(
      'database-foreign',
      `the database belongs to another program: its table migrations begins with "${first}"`,
      'give Curtail a database of its own',
    );
  }
}

/**
 * Each database of Curtail begins with the same migration. One that has further ones, which this build does not know, is of a newer release
 * and may be used.
 *
 * @param applied names of the migrations of the database, oldest first.
 * @param first the name of the first migration of this build.
 * @throws UnusableTables if the database began otherwise.
 */
export function assertOwnTables(applied: readonly string[], first: string | undefined): void {
  if (applied.length === 0 || first === undefined || applied.includes(first)) return;
  throw applied.includes(firstBeforeRelease) ? UnusableTables.tooOld() : UnusableTables.foreign(applied[0]!);
}
