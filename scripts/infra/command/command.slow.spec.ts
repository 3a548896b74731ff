import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isAlive } from '../../../libs/platform/src/postgres/processes.js';
import { query } from '../../../test/support/query.js';
import { root } from '../folders.js';
import { ownFolder } from '../server/own-folder.js';

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}
type Row = Record<'state' | 'port' | 'pid', string>;

/** The command as people run it, on servers of its own. */
describe('npm run infra', () => {
  let folder: string;
  beforeAll(() => {
    folder = ownFolder();
  });
  afterAll(async () => {
    await infra('down', '--clean');
    await rm(folder, { recursive: true, force: true });
  });

  function infra(...words: string[]): Promise<Outcome> {
    const { NODE_OPTIONS: _, ...env } = process.env;
    const script = join(root, 'scripts', 'infra.mjs');
    return new Promise((resolve) => {
      execFile(
        process.execPath,
        [script, ...words, '--folder', join(folder, 'servers')],
        { env },
        (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      );
    });
  }
  /** The table of `up` and `status` by server. */
  function rows({ stdout }: Outcome): Record<string, Row> {
    const lines = stdout.trim().split('\n').slice(1);
    return Object.fromEntries(
      lines.map((line) => {
        const [server = '', state = '', port = '', pid = ''] = line.split(/\s{2,}/);
        return [server, { state, port, pid }];
      }),
    );
  }
  const stateFile = (server: string) => join(folder, 'servers', server, 'state.json');

  it('reports before the first up that nothing was started', async () => {
    const { code, stderr } = await infra('status');
    expect(code).toBe(1);
    expect(stderr).toContain('npm run infra -- up');
  });

  it('starts all, keeps what runs, and gives services the addresses', async () => {
    const first = await infra('up');
    expect(first).toMatchObject({ code: 0 });
    expect(Object.values(rows(first)).map(({ state }) => state)).toEqual(['ready', 'ready', 'ready']);
    expect(rows(await infra('up'))).toEqual(rows(first));
    const { stdout } = await infra('status', '--env');
    const environment = Object.fromEntries(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split(/=(.*)/)),
    );
    expect(environment).toMatchObject({
      KAFKA_BROKERS: `127.0.0.1:${rows(first).Kafka?.port}`,
      REDIS_URL: `redis://127.0.0.1:${rows(first).Redis?.port}`,
    });
    expect(await query(environment.DATABASE_URL, 'SELECT current_database() AS name')).toEqual([
      { name: 'curtail' },
    ]);
  });

  it('sees what was killed, and starts that alone, on its port', async () => {
    const before = rows(await infra('status'));
    process.kill(Number(before.Redis?.pid), 'SIGKILL');
    while (isAlive(Number(before.Redis?.pid)));
    const without = await infra('status');
    expect(without.code).toBe(1);
    expect(rows(without).Redis?.state).toBe('down');
    const after = rows(await infra('up'));
    expect(after.Kafka).toEqual(before.Kafka);
    expect(after.PostgreSQL).toEqual(before.PostgreSQL);
    expect(after.Redis?.port).toBe(before.Redis?.port);
    expect(after.Redis?.pid).not.toBe(before.Redis?.pid);
  });

  it('stops all, with their data kept, and has nothing to stop the second time', async () => {
    const before = rows(await infra('status'));
    expect(await infra('down')).toMatchObject({ code: 0 });
    expect(Object.values(before).filter(({ pid }) => isAlive(Number(pid)))).toEqual([]);
    expect(await infra('down')).toMatchObject({ code: 0 });
    expect((await infra('status')).code).toBe(1);
  });

  it('takes no stranger for its server, and no port from one', async () => {
    // As after a restart of the machine: the pid is another's by now, and so is the port.
    const stale = JSON.parse(await readFile(stateFile('redis'), 'utf8')) as { ports: { redis: number } };
    await writeFile(
      stateFile('redis'),
      JSON.stringify({ ...stale, process: { pid: process.pid, birth: 'earlier' } }),
    );
    await writeFile(stateFile('postgres'), '{ damaged');
    const stranger = createServer().listen(stale.ports.redis, '127.0.0.1');
    try {
      const up = rows(await infra('up'));
      expect(Object.values(up).map(({ state }) => state)).toEqual(['ready', 'ready', 'ready']);
      expect(up.Redis?.port).not.toBe(String(stale.ports.redis));
      expect(up.Redis?.pid).not.toBe(String(process.pid));
    } finally {
      stranger.close();
    }
  });

  it('states which words it knows when it is given others', async () => {
    for (const words of [['sideways'], ['up', 'down'], ['up', '--now'], []]) {
      const { code, stderr } = await infra(...words);
      expect(code).toBe(1);
      expect(stderr).toContain('npm run infra -- <command>');
    }
  });
});
