import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import './typescript.mjs';

const { startEmbeddedPostgres } = await import('../../libs/platform/src/postgres/index.ts');
const { clearOrphan } = await import('../../libs/platform/src/postgres/orphan.ts');
const { isAlive, signalQuietly } = await import('../../libs/platform/src/postgres/processes.ts');
const { buildControlPlane, prepare, startControlPlane, startKafka, startRedis } = await import(
  '../../scripts/infra/index.ts'
);
const { readState, runningProcess } = await import('../../scripts/infra/server/state.ts');

const prefix = 'curtail-test-';

/**
 * The servers of all suites of the lane: a PostgreSQL for each worker of jest, in which each suite makes a database of its own
 * (database.ts), a Kafka and a Redis, which suites share by prefixes of their own. Two suites at the same time on one PostgreSQL
 * would not be alone: a transaction of one holds the log of the other back. The lane of clusters has a Kubernetes besides.
 * With CURTAIL_TEST_SERVERS=given, the KAFKA_BROKERS and REDIS_URL of the environment are used instead of new ones: for single tests
 * in quick succession. With `none` nothing is started: every test is skipped.
 */
export default async function setup({ maxWorkers }) {
  if (process.env.CURTAIL_TEST_SERVERS === 'none') return;
  await removeLeftovers();
  const dataDir = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
  const servers = [];
  globalThis.curtailTestServers = { servers, dataDir };
  // A signal alone would end jest without an exit event, which is what stops PostgreSQL; the others are on a leash.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  }
  // As root, the server's account has to get in.
  await chmod(dataDir, 0o711);
  const given = process.env.CURTAIL_TEST_SERVERS === 'given';
  const outcomes = await Promise.allSettled([
    startDatabases(dataDir, servers, maxWorkers),
    ...(given ? [] : [startOthers(dataDir, servers)]),
    ...(process.env.CURTAIL_TEST_LANE === 'clusters' ? [startKubernetes(dataDir, servers)] : []),
  ]);
  const failed = outcomes.find(({ status }) => status === 'rejected');
  if (!failed) return;
  await Promise.allSettled(servers.map((server) => server.stop()));
  throw failed.reason;
}

async function startDatabases(dataDir, servers, count) {
  const urls = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const server = await startEmbeddedPostgres({ dataDir: databaseFolder(dataDir, index), durable: false });
      servers.push(server);
      await migrateTemplate(server.url);
      return server.url;
    }),
  );
  process.env.CURTAIL_TEST_DATABASE_URLS = urls.join(',');
}

const databaseFolder = (dataDir, index) => join(dataDir, `database-${index}`);

async function startOthers(dataDir, servers) {
  await prepare((line) => console.error(`== ${line}`));
  const [kafka, redis] = await Promise.all([
    startKafka({ folder: join(dataDir, 'kafka') }),
    startRedis({ folder: join(dataDir, 'redis') }),
  ]);
  servers.push(kafka, redis);
  process.env.KAFKA_BROKERS = kafka.brokers.join(',');
  process.env.REDIS_URL = redis.url;
}

/** Suites find it by its folder, and may restart its parts. */
async function startKubernetes(dataDir, servers) {
  await buildControlPlane((line) => console.error(`== ${line}`));
  const controlPlane = await startControlPlane({ folder: dataDir });
  servers.push(controlPlane);
  process.env.CURTAIL_TEST_CONTROL_PLANE = dataDir;
}

/** Runs that were killed could not clean up: theirs are the folders whose process is gone. */
async function removeLeftovers() {
  for (const name of await readdir(tmpdir())) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length).split('-')[0]) : Number.NaN;
    if (!Number.isSafeInteger(pid) || isAlive(pid)) continue;
    const folder = join(tmpdir(), name);
    // Another account's stays: it cannot be removed, and is no concern of ours.
    await endServers(folder)
      .then(() => clearOrphans(folder))
      .then(() => rm(folder, { recursive: true, force: true }))
      .catch(() => {});
  }
}

async function clearOrphans(folder) {
  const databases = (await readdir(folder)).filter((name) => name.startsWith('database-'));
  for (const name of databases) await clearOrphan(join(folder, name, 'cluster'), () => {});
}

/** Of one that was on a leash there is nothing left to end, unless the leash was killed too. */
async function endServers(folder) {
  for (const at of [folder, ...(await readdir(folder)).map((name) => join(folder, name))]) {
    const pid = await runningProcess(await readState(at));
    if (pid) signalQuietly(pid, 'SIGKILL');
  }
}

/** The original of createMigratedDatabase. No one may be connected to it while it is copied. */
async function migrateTemplate(serverUrl) {
  const { migrateDatabase } = await import('../../libs/event-store/src/migrate.ts');
  const { migrations } = await import('../../migrations/index.ts');
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  await client.query('CREATE DATABASE curtail_migrated');
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = '/curtail_migrated';
  await migrateDatabase(url.href, migrations);
}
