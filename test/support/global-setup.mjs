import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import './typescript.mjs';

const { startEmbeddedPostgres } = await import('../../libs/platform/src/postgres/index.ts');
const { clearOrphan } = await import('../../libs/platform/src/postgres/orphan.ts');
const { isAlive } = await import('../../libs/platform/src/postgres/processes.ts');

const prefix = 'curtail-test-';

/** One server for all suites of the lane; each suite makes a database of its own in it (database.ts). */
export default async function setup() {
  await removeLeftovers();
  const dataDir = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
  // As root, the server's account has to get in.
  await chmod(dataDir, 0o711);
  const server = await startEmbeddedPostgres({ dataDir, durable: false });
  process.env.CURTAIL_TEST_DATABASE_URL = server.url;
  await migrateTemplate(server.url);
  globalThis.curtailTestServer = { server, dataDir };
  // A signal alone would end jest without an exit event, which is what stops the server.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  }
}

/** Runs that were killed could not clean up: theirs are the folders whose process is gone. */
async function removeLeftovers() {
  for (const name of await readdir(tmpdir())) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length).split('-')[0]) : Number.NaN;
    if (!Number.isSafeInteger(pid) || isAlive(pid)) continue;
    const folder = join(tmpdir(), name);
    // Another account's stays: it cannot be removed, and is no concern of ours.
    await clearOrphan(join(folder, 'cluster'), () => {})
      .then(() => rm(folder, { recursive: true, force: true }))
      .catch(() => {});
  }
}

/** What createMigratedDatabase copies. Nobody may be connected to it while it is copied. */
async function migrateTemplate(serverUrl) {
  const { migrateDatabase } = await import('../../libs/event-store/src/database.ts');
  const { migrations } = await import('../../migrations/index.ts');
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  await client.query('CREATE DATABASE curtail_migrated');
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = '/curtail_migrated';
  await migrateDatabase(url.href, migrations);
}
