import { Client } from 'pg';
import { findBinaries } from './binaries.js';
import { prepareCluster, superuser } from './cluster.js';
import { cannotUse, keptPassword, openHome } from './data-home.js';
import { lockFolder } from './folder-lock.js';
import { clearOrphan, stopServer } from './orphan.js';
import { PostgresStartError } from './postgres-start-error.js';
import { signalQuietly } from './processes.js';
import type { ServerEnd, ServerProcess } from './server-process.js';
import { startServer } from './server-start.js';

const database = 'curtail';

export interface EmbeddedPostgresOptions {
  /** All files of the server are below this folder; it is created if necessary. */
  dataDir: string;
  /** On 127.0.0.1. If absent, a free port is chosen at each start. */
  port?: number;
  /** False only for tests: nothing is flushed to disk, a crash of the machine loses the data. Default true. */
  durable?: boolean;
  /** A folder with initdb and postgres. Default: CURTAIL_PG_BIN, otherwise the programs from npm. */
  binDir?: string;
  /** Receives one line about each step, without a line end. */
  log?: (line: string) => void;
}

export interface EmbeddedPostgres {
  /** postgresql://…, with the password: not for logs. Names the database `curtail`, which exists. */
  url: string;
  port: number;
  pid: number;
  /** The actual folder of the data; differs from `dataDir` if the server's account cannot enter that. */
  folder: string;
  /** 18, or that of other programs. */
  major: number;
  /** Resolves when the server has ended, by `stop` or by itself. Never rejects. */
  ended: Promise<ServerEnd>;
  /** Fast stop: open sessions are cut. Close pools and workers first. May be called again. */
  stop(): Promise<void>;
}

/**
 * Starts an own PostgreSQL on a data folder, and stops one that an earlier process left behind. Listens on 127.0.0.1
 * only, with a random password in the folder. As root, the server runs as another account (see `serverAccount`). When
 * this process exits, the server is stopped too; when it is killed, the next start finds the server and the data.
 *
 * One process at a time owns a folder. Fails with PostgresStartError.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const {
    port: fixedPort,
    durable = true,
    binDir = process.env.CURTAIL_PG_BIN,
    log = () => undefined,
  } = options;
  const home = await openHome(options.dataDir, log);
  const lock = await lockFolder(home.folder).catch((error: unknown) => {
    throw error instanceof PostgresStartError ? error : cannotUse(home.folder, error);
  });
  try {
    const binaries = await findBinaries(binDir, home.account, log);
    const password = await keptPassword(home.folder);
    await clearOrphan(home.cluster, log);
    await prepareCluster(home, binaries, { password, durable });
    const address = (port: number) => `postgresql://${superuser}:${password}@127.0.0.1:${port}`;
    const urlOf = (port: number) => `${address(port)}/postgres`;
    const { server, port } = await startServer(home, binaries, { fixedPort, durable, urlOf });

    const stopNow = stopOnExit(server);
    await createDatabase(urlOf(port)).catch(async (error: unknown) => {
      await stopNow();
      throw error;
    });
    let stopped: Promise<void> | undefined;
    const stop = () => {
      stopped ??= stopNow().then(lock.release);
      return stopped;
    };
    const { pid, ended } = server;
    const url = `${address(port)}/${database}`;
    return { url, port, pid, folder: home.folder, major: binaries.major, ended, stop };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Ties the server to this process as far as possible without a supervisor; returns a function that stops it earlier. */
function stopOnExit(server: ServerProcess): () => Promise<void> {
  const atExit = () => {
    if (server.isRunning()) signalQuietly(server.pid, 'SIGINT');
  };
  process.once('exit', atExit);
  void server.ended.then(() => process.off('exit', atExit));
  return async () => {
    if (server.isRunning()) await stopServer(server.pid);
  };
}

export async function createDatabase(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const found = await client.query('SELECT FROM pg_database WHERE datname = $1', [database]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${database}`);
  } finally {
    await client.end();
  }
}
