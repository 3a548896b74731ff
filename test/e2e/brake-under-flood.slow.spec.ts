import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { CurtailFolder, ownVariables } from '../support/curtail-process.js';
import { query } from '../support/query.js';
import { Recorded } from '../support/recorded.js';
import { withConstants } from '../support/with-constants.js';

const token = 'the-token-of-the-operators';
const floodPerSecond = 2000;

/** Requests without the token, from a process of its own, until it is stopped. */
class Flood {
  /** How many answers there were so far, by status. */
  readonly answers = new Recorded<Record<string, number>>();
  private readonly child: ChildProcess;

  constructor(url: string) {
    this.child = spawn(process.execPath, ['test/support/flood.mjs', url, String(floodPerSecond)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: ownVariables(),
    });
    createInterface(this.child.stdout!).on('line', (line) => this.answers.add(JSON.parse(line)));
  }

  /** The number of further answers, once there are some. */
  async more(): Promise<number> {
    const before = sumOf(this.answers.all.at(-1) ?? {});
    const all = await this.answers.until((answers) => sumOf(answers) > before);
    return sumOf(all.at(-1)!) - before;
  }

  stop(): void {
    this.child.kill('SIGKILL');
  }
}

const sumOf = (counts: Record<string, number>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

describe('curtail stop, in a Curtail that has a token', () => {
  let folder: CurtailFolder;
  let url: string;
  let floods: Flood[] = [];
  let sockets: Socket[] = [];
  beforeAll(async () => {
    folder = await CurtailFolder.create();
    ({ url } = await folder.start({
      environment: { CURTAIL_TOKEN: token, ...withConstants({ connectionLimit: 200 }) },
    }));
    const applied = await fetch(`${url}/v1/partitions/default/config`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        partitions: [{ name: 'default', queues: [{ name: 'root', queues: [{ name: 'a' }] }] }],
      }),
    });
    expect(applied.status).toBe(200);
  });
  afterAll(() => folder?.remove());
  beforeEach(() => {
    [floods, sockets] = [[], []];
  });
  afterEach(() => {
    for (const flood of floods) flood.stop();
    for (const socket of sockets) socket.destroy();
  });

  /** The command line in a process of its own. */
  async function curtail(...words: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
    const child = spawn(process.execPath, ['dist/apps/curtail/src/main.js', ...words, '-o', 'json'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...ownVariables(), CURTAIL_SERVER: url, CURTAIL_TOKEN: token },
    });
    const [stdout, stderr, [status]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number]>,
    ]);
    return { status, stdout, stderr };
  }
  /** Of the table itself: a request of the test would have to get through as well. */
  const switches = async () =>
    query(await folder.databaseUrl(), `SELECT nullif(queue, '') AS queue FROM kill_switches`);
  async function expectStopToWork(): Promise<void> {
    const stopped = await curtail('stop', '--queue', 'root.a', '--reason', 'a flood');
    expect(stopped).toMatchObject({ status: 0, stderr: expect.not.stringContaining('429') });
    expect(await switches()).toEqual([{ queue: 'root.a' }]);
  }
  async function resume(): Promise<void> {
    expect(await curtail('resume', '--queue', 'root.a')).toMatchObject({ status: 0 });
    expect(await switches()).toEqual([]);
  }

  it('is in force while connections that say nothing are open, more than there may be', async () => {
    const port = Number(new URL(url).port);
    for (let count = 0; count < 400; count++) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      sockets.push(socket);
      await once(socket, 'connect');
      // Half of them have begun a request that never ends.
      if (count % 2 === 0)
        socket.write('POST /v1/kill-switch HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n');
    }
    await expectStopToWork();
    expect(sockets.filter((socket) => !socket.closed).length).toBeLessThanOrEqual(200);
    for (const socket of sockets) socket.destroy();
    await resume();
  });

  it('is in force while queries have taken all connections that they share', async () => {
    const outside = new Client({ connectionString: await folder.databaseUrl() });
    await outside.connect();
    try {
      // Queries read these tables, and wait; commands of operators do not.
      await outside.query('BEGIN');
      await outside.query('LOCK TABLE read_notices, read_runs IN ACCESS EXCLUSIVE MODE');
      const headers = { authorization: `Bearer ${token}` };
      const waiting = new AbortController();
      const asked = Array.from({ length: 40 }, () =>
        fetch(`${url}/v1/notices`, { headers, signal: waiting.signal }).catch(() => undefined),
      );
      const watch = new Client({ connectionString: await folder.databaseUrl() });
      await watch.connect();
      for (;;) {
        const { rows } = await watch.query(
          `SELECT count(*)::int AS waiting FROM pg_stat_activity
           WHERE datname = current_database() AND application_name = 'curtail-reader' AND wait_event_type = 'Lock'`,
        );
        if (rows[0].waiting >= 10) break;
      }
      await watch.end();
      const body = JSON.stringify({ queue: 'root.a', by: 'test' });
      const stopped = await fetch(`${url}/v1/kill-switch`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
      });
      expect(stopped.status).toBe(200);
      expect(await switches()).toEqual([{ queue: 'root.a' }]);
      waiting.abort();
      await Promise.all(asked);
      await resume();
    } finally {
      await outside.query('ROLLBACK');
      await outside.end();
    }
  });

  // Last: for a minute afterwards this address may send little without the token.
  it(`is in force while ${floodPerSecond} requests a second come without it, from the same address`, async () => {
    const flood = new Flood(url);
    floods.push(flood);
    // More than one address may send in a minute.
    await flood.answers.until((answers) => (answers['429'] ?? 0) > 1000);
    await expectStopToWork();
    expect(await flood.more()).toBeGreaterThan(0);
    flood.stop();
    await resume();
    const answers = Object.keys(flood.answers.all.at(-1)!);
    expect(answers.filter((status) => !['401', '429', 'ECONNRESET'].includes(status))).toEqual([]);
  });
});
