import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Program, startProgram } from '../processes.js';

/** The all-in-one application as `npm start` runs it, with its embedded PostgreSQL, which the benchmark can read. */
export interface Application {
  url: string;
  databaseUrl: string;
  pid: number;
  /** Of the database server. */
  databasePid: number;
  stop(): Promise<void>;
}

/**
 * @param environment beside the one of every benchmark.
 * @param main the program: another one has the same settings.
 */
export async function startApplication(
  folder: string,
  environment: Record<string, string> = {},
  main = 'dist/apps/curtail/src/main.js',
): Promise<Application> {
  const port = await freePort();
  const program = startProgram(['--max-semi-space-size=32', main], {
    CURTAIL_DATA: folder,
    CURTAIL_PORT: String(port),
    CURTAIL_SAMPLE: 'no',
    CURTAIL_LOG_LEVEL: 'warn',
    CURTAIL_GRACE_SECONDS: '0',
    ...environment,
  });
  const url = `http://127.0.0.1:${port}`;
  await untilReady(url, program);
  return {
    url,
    ...(await databaseIn(folder)),
    pid: program.process.pid!,
    stop: async () => {
      program.process.kill('SIGTERM');
      await program.ended;
    },
  };
}

async function databaseIn(folder: string): Promise<{ databaseUrl: string; databasePid: number }> {
  const password = (await readFile(join(folder, 'password'), 'utf8')).trim();
  const [pid, , , port] = (await readFile(join(folder, 'cluster', 'postmaster.pid'), 'utf8')).split('\n');
  return {
    databaseUrl: `postgresql://curtail:${password}@127.0.0.1:${port?.trim()}/curtail`,
    databasePid: Number(pid),
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
