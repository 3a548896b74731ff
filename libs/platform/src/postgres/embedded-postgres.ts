import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { type Binaries, findBinaries } from './binaries.js';
import { prepareCluster, superuser } from './cluster.js';
import { cannotUse, type DataHome, keptPassword, openHome } from './data-home.js';
import { lockFolder } from './folder-lock.js';
import { clearOrphan, stopServer } from './orphan.js';
import { PostgresStartError } from './postgres-start-error.js';
import { type ServerEnd, type ServerProcess, spawnServer, waitUntilReady } from './server-process.js';

const database = 'curtail';
const attempts = 8;
const attemptPauseMs = 250;

export interface EmbeddedPostgresOptions {
  /** Everything the server keeps is below this folder; it is made if need be. */
  dataDir: string;
  /** On 127.0.0.1. Without one, a free one is taken at each start. */
  port?: number;
  /** False only for tests: nothing is flushed to disk, a crash of the machine loses the data. Default true. */
  durable?: boolean;
  /** One line on what is being done, without a line end. */
  log?: (line: string) => void;
}

export interface EmbeddedPostgres {
  /** postgresql://…, with the password: not for logs. Names the database `curtail`, which exists. */
  url: string;
  port: number;
  pid: number;
  /** Where the data really are; differs from `dataDir` if the server's account cannot enter that. */
  folder: string;
  /** 18, or that of the programs in CURTAIL_PG_BIN. */
  major: number;
  /** Resolves when the server has ended, by `stop` or by itself. Never rejects. */
  ended: Promise<ServerEnd>;
  /** Fast stop: open sessions are cut. Close pools and workers first. May be called again. */
  stop(): Promise<void>;
}

/**
 * Starts a PostgreSQL of our own on a data folder, and stops one that an earlier process left behind.
 * Listens on 127.0.0.1 only, with a random password that the folder keeps. As root, the server runs
 * as another account (see `serverAccount`). When this process exits, the server is stopped too; when
 * it is killed, the next start finds the server and the data.
 *
 * One process at a time owns a folder. Fails with PostgresStartError.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { durable = true, log = () => undefined } = options;
  const home = await openHome(options.dataDir, log);
  const lock = await lockFolder(home.folder).catch((error: unknown) => {
    throw error instanceof PostgresStartError ? error : cannotUse(home.folder, error);
  });
  try {
    const binaries = await findBinaries(home.account, log);
    const password = await keptPassword(home.folder);
    await prepareCluster(home, binaries, { password, durable });
    await clearOrphan(home.cluster, log);
    const urlOf = (port: number, name: string) =>
      `postgresql://${superuser}:${password}@127.0.0.1:${port}/${name}`;
    const started = await startServer(home, binaries, { port: options.port, durable, urlOf });
    const { server, port } = started;

    const stopAtExit = () => signalQuietly(server.pid);
    process.once('exit', stopAtExit);
    void server.ended.then(() => process.off('exit', stopAtExit));
    await createDatabase(urlOf(port, 'postgres'));
    let stopped: Promise<void> | undefined;
    const stop = () => {
      stopped ??= stopServer(server.pid).then(() => lock.release());
      return stopped;
    };
    const { folder } = home;
    return {
      url: urlOf(port, database),
      port,
      pid: server.pid,
      folder,
      major: binaries.major,
      ended: server.ended,
      stop,
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function startServer(
  home: DataHome,
  binaries: Binaries,
  how: { port: number | undefined; durable: boolean; urlOf: (port: number, name: string) => string },
): Promise<{ server: ServerProcess; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port = how.port ?? (await freePort());
    const server = await spawnServer(home, binaries, { port, durable: how.durable });
    const end = await waitUntilReady(server, how.urlOf(port, 'postgres'));
    if (!end) return { server, port };
    signalQuietly(server.pid);
    if (attempt === attempts || !isPassing(end, how.port === undefined)) throw startError(home, port, end);
    await delay(attemptPauseMs);
  }
}

/** Whether another try may go better: children of a killed server still hold its memory, or someone took our port. */
function isPassing({ logTail }: ServerEnd, portIsOurs: boolean): boolean {
  return /shared memory block .* (is )?still in use/.test(logTail) || (portIsOurs && portTaken.test(logTail));
}

const portTaken = /Address already in use/;

function startError(home: DataHome, port: number, { logTail }: ServerEnd): PostgresStartError {
  if (portTaken.test(logTail)) {
    return new PostgresStartError(
      `PostgreSQL cannot listen on 127.0.0.1:${port}: the port is taken.`,
      'Choose another port, leave it out to get a free one, or stop what uses it.',
      logTail,
    );
  }
  return new PostgresStartError(
    `PostgreSQL does not start on ${home.folder}.`,
    `All it said is in ${home.log}.`,
    logTail,
  );
}

async function createDatabase(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const found = await client.query('SELECT FROM pg_database WHERE datname = $1', [database]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${database}`);
  } finally {
    await client.end();
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function signalQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGINT');
  } catch {
    // It is gone already, which is what was wanted.
  }
}
