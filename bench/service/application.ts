import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbeddedPostgres } from '@curtail/platform';
import { type Program, startProgram } from '../processes.js';

/** The all-in-one application in a process of its own, on a durable embedded PostgreSQL that the benchmark can look into. */
export interface Application {
  url: string;
  databaseUrl: string;
  pid: number;
  /** Of the database server. */
  databasePid: number;
  stop(): Promise<void>;
}

export async function startApplication(folder: string): Promise<Application> {
  const server = await startEmbeddedPostgres({ dataDir: folder });
  const port = await freePort();
  const program = startProgram(['--enable-source-maps', 'dist/apps/curtail/src/main.js'], {
    DATABASE_URL: server.url,
    CURTAIL_PORT: String(port),
    CURTAIL_SAMPLE: 'no',
    CURTAIL_LOG_LEVEL: 'warn',
    CURTAIL_GRACE_SECONDS: '0',
  });
  const url = `http://127.0.0.1:${port}`;
  await untilReady(url, program);
  return {
    url,
    databaseUrl: server.url,
    pid: program.process.pid!,
    databasePid: server.pid,
    stop: async () => {
      program.process.kill('SIGTERM');
      await program.ended.finally(() => server.stop());
    },
  };
}

/** Waits until a program answers that it is ready; rejects if it ends before that. */
export async function untilReady(url: string, program: Program): Promise<void> {
  let ended = false;
  program.ended
    .catch(() => {})
    .finally(() => {
      ended = true;
    });
  for (;;) {
    const ready = await fetch(`${url}/readyz`).then(
      (response) => response.ok,
      () => false,
    );
    if (ready) return;
    if (ended) {
      await program.ended;
      throw new Error('it ended before it was ready');
    }
    await delay(10);
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
