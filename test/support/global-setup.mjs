import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import './typescript.mjs';

const { startEmbeddedPostgres } = await import('../../libs/platform/src/postgres/index.ts');
const { clearOrphan } = await import('../../libs/platform/src/postgres/orphan.ts');
const { isAlive } = await import('../../libs/platform/src/postgres/processes.ts');

const { migrateDatabase } = await import('../../libs/event-store/src/index.ts');
const { migrations } = await import('../../migrations/index.ts');

const prefix = 'curtail-test-';

/**
 * One server for all suites of the lane. The tables are made once, in the database of the URL; the
 * database that each suite makes for itself is a copy of that one (database.ts).
 */
export default async function setup() {
  await removeLeftovers();
  const dataDir = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
  // As root, the server's account has to get in.
  await chmod(dataDir, 0o711);
  const server = await startEmbeddedPostgres({ dataDir, durable: false });
  globalThis.curtailTestServer = { server, dataDir };
  process.env.CURTAIL_TEST_DATABASE_URL = server.url;
  await migrateDatabase(server.url, migrations);
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
