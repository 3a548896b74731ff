import { mkdir, rm } from 'node:fs/promises';
import { findBinaries } from '../../../libs/platform/src/postgres/binaries.js';
import { prepareCluster, superuser } from '../../../libs/platform/src/postgres/cluster.js';
import { type DataHome, keptPassword, openHome } from '../../../libs/platform/src/postgres/data-home.js';
import { createDatabase } from '../../../libs/platform/src/postgres/embedded-postgres.js';
import { clearOrphan, stopServer } from '../../../libs/platform/src/postgres/orphan.js';
import { startServer } from '../../../libs/platform/src/postgres/server-start.js';
import { ownFolder } from '../server/own-folder.js';
import { freePorts } from '../server/ports.js';
import { Server, type ServerKind } from '../server/server.js';
import { letsIn } from './postgres-ready.js';

export interface PostgresOptions {
  /** Default: one of its own, below the folder for temporary files, which `remove` removes. */
  folder?: string;
  /** Default: a free one. */
  port?: number;
  /** False for one that is to outlive this process. Default true. */
  leashed?: boolean;
  /** True: what is committed outlives a crash. Default false: a killed server may forget what it committed last. */
  durable?: boolean;
}

const quiet = (): void => {};

export class PostgresServer extends Server {
  constructor(
    kind: ServerKind,
    leashed: boolean,
    private readonly home: DataHome,
    /** `postgresql://…`, with the password. Names the database `curtail`, which exists once the server was started. */
    readonly url: string,
  ) {
    super(kind, leashed);
  }

  get port(): number {
    return this.ports.postgres as number;
  }

  override async remove(): Promise<void> {
    await super.remove();
    // As root, the data may live in a folder of the system.
    await rm(this.home.folder, { recursive: true, force: true });
  }
}

/** Describes a PostgreSQL without starting it. Makes its folder. */
export async function openPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const { folder = ownFolder(), port, leashed = true, durable = false } = options;
  const ports = port ? { postgres: port } : await freePorts(['postgres'] as const);
  await mkdir(folder, { recursive: true, mode: 0o711 });
  const home = await openHome(folder, quiet);
  const password = await keptPassword(home.folder);
  const address = (at: number) => `postgresql://${superuser}:${password}@127.0.0.1:${at}`;
  const urlOf = (at: number) => `${address(at)}/postgres`;
  const kind: ServerKind = {
    name: 'PostgreSQL',
    folder,
    log: home.log,
    ports,
    stopSignal: 'SIGINT',
    leashSignal: 'QUIT',
    launch: async () => {
      const binaries = await findBinaries(process.env.CURTAIL_PG_BIN, home.account, quiet);
      await clearOrphan(home.cluster, quiet);
      await prepareCluster(home, binaries, { password, durable });
      // Waits until it lets us in: what a killed one has left behind may make it try more than once.
      const { server } = await startServer(home, binaries, { fixedPort: ports.postgres, durable, urlOf });
      await createDatabase(urlOf(ports.postgres)).catch(async (error: unknown) => {
        await stopServer(server.pid);
        throw error;
      });
      return server;
    },
    isReady: (pid) => letsIn(urlOf(ports.postgres), home.cluster, pid),
  };
  return new PostgresServer(kind, leashed, home, `${address(ports.postgres)}/curtail`);
}

/** Starts a PostgreSQL and waits until it is ready. As root it runs as another account. */
export async function startPostgres(options?: PostgresOptions): Promise<PostgresServer> {
  const server = await openPostgres(options);
  await server.start();
  return server;
}
