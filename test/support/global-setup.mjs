import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import './typescript.mjs';

/** One server for all suites of the lane; each suite makes a database of its own in it (database.ts). */
export default async function setup() {
  const { startEmbeddedPostgres } = await import('../../libs/platform/src/postgres/index.ts');
  const dataDir = await mkdtemp(join(tmpdir(), 'curtail-test-'));
  // As root, the server's account has to get in.
  await chmod(dataDir, 0o711);
  const server = await startEmbeddedPostgres({ dataDir, durable: false });
  process.env.CURTAIL_TEST_DATABASE_URL = server.url;
  await migrateTemplate(server.url);
  globalThis.curtailTestServer = { server, dataDir };
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
