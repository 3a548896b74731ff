import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import './typescript.mjs';

/** One server for all suites of the lane; each suite makes a database of its own in it (database.ts). */
export default async function setup() {
  const { startEmbeddedPostgres } = await import('../../libs/platform/src/postgres/index.ts');
  const dataDir = await mkdtemp(join(tmpdir(), 'curtail-test-'));
  // As root, the server's account has to get in.
  await chmod(dataDir, 0o711);
  const server = await startEmbeddedPostgres({ dataDir, durable: false });
  process.env.CURTAIL_TEST_DATABASE_URL = server.url;
  globalThis.curtailTestServer = { server, dataDir };
}
