import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { OwnServer } from '../../../../test/support/own-server.js';
import { query } from '../../../../test/support/query.js';
import { openSimulatedDatabase } from '../../../../test/support/simulated.js';
import { loadSimulated } from './load.js';
import { SimulatedCluster } from './simulated-cluster.js';

const now = new Date('2026-11-21T10:00:00Z');
const scope = { partition: 'default', queue: 'root.load' };

describe('a kept read of a large queue', () => {
  let server: OwnServer;
  let dataSource: DataSource;
  let cluster: SimulatedCluster;
  let someId: string;

  beforeAll(async () => {
    server = await OwnServer.start();
    dataSource = await openSimulatedDatabase(server.url);
    const spec = { queues: 3, allocations: 20_010, nodes: 10 };
    await loadSimulated(dataSource, 'default', spec, undefined, now);
  });
  afterAll(async () => {
    await dataSource?.destroy();
    await server?.remove();
  });
  beforeEach(async () => {
    cluster = new SimulatedCluster(dataSource, () => now);
    [{ id: someId }] = await dataSource.query<[{ id: string }]>(
      'SELECT min(id) AS id FROM simulated_allocations',
    );
  });

  const readAfresh = () => new SimulatedCluster(dataSource, () => now).snapshot(scope);
  const setPriority = (priority: number) =>
    dataSource.query('UPDATE simulated_allocations SET priority = $1 WHERE id = $2', [priority, someId]);
  const priorityRead = async () =>
    (await cluster.snapshot(scope)).allocations.find(({ id }) => id === someId)?.priority;

  it.each(['VACUUM (FREEZE)', 'VACUUM (FULL, FREEZE)'])(
    'is not mistaken for a row that %s froze',
    async (vacuum) => {
      await cluster.snapshot(scope);
      const priority = vacuum.length;
      await setPriority(priority);
      await dataSource.query(`${vacuum} simulated_allocations`);
      expect(await priorityRead()).toBe(priority);
      expect((await cluster.snapshot(scope)).allocations).toEqual((await readAfresh()).allocations);
    },
  );

  it('is not mistaken for a row that a savepoint of an older transaction changed', async () => {
    const runner = dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('SELECT pg_current_xact_id()');
    await runner.query('SAVEPOINT first');
    await runner.query('UPDATE simulated_allocations SET priority = 31 WHERE id = $1', [someId]);
    await runner.query('RELEASE SAVEPOINT first');
    await runner.query('SAVEPOINT second');
    const before = await priorityRead();
    await runner.query('UPDATE simulated_allocations SET priority = 32 WHERE id = $1', [someId]);
    await runner.query('ROLLBACK TO SAVEPOINT second');
    expect(await priorityRead()).toBe(before);
    await runner.commitTransaction();
    await runner.release();
    expect(await priorityRead()).toBe(31);
  });

  it('is not used after a crash of the server, which gives out the last transaction ids again', async () => {
    // The walwriter then flushes nothing before the crash.
    await query(server.url, "ALTER SYSTEM SET wal_writer_delay = '10s'");
    await query(server.url, 'SELECT pg_reload_conf()');
    await query(server.url, 'CHECKPOINT');
    await query(
      server.url,
      'DO $$ BEGIN FOR i IN 1..1000 LOOP PERFORM pg_current_xact_id(); ROLLBACK; END LOOP; END $$',
    );
    const known = await cluster.snapshot(scope);
    await crash(server.url);
    await setPriority(7);
    expect(await priorityRead()).toBe(7);
    expect((await cluster.snapshot(scope)).allocations).toEqual((await readAfresh()).allocations);
    expect(known.allocations.find(({ id }) => id === someId)?.priority).not.toBe(7);
  });

  it('is not used in another database of the same server, such as a copy under the same name', async () => {
    await setPriority(1);
    await dataSource.destroy();
    const url = new URL(server.url);
    url.pathname = '/postgres';
    await query(url.href, 'CREATE DATABASE earlier TEMPLATE curtail');
    await dataSource.initialize();
    await setPriority(2);
    expect(await priorityRead()).toBe(2);
    await dataSource.destroy();
    await query(url.href, 'ALTER DATABASE curtail RENAME TO later');
    await query(url.href, 'ALTER DATABASE earlier RENAME TO curtail');
    await dataSource.initialize();
    expect(await priorityRead()).toBe(1);
  });
});

/** Kills one server process: the server ends all others, recovers, and keeps its start time. */
async function crash(url: string): Promise<void> {
  const [killed, witness] = [new Client(url), new Client(url)];
  // Of the lost connections.
  for (const client of [killed, witness]) client.on('error', () => {});
  await Promise.all([killed.connect(), witness.connect()]);
  const ended = new Promise<void>((resolve) => witness.once('end', () => resolve()));
  const { rows } = await killed.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  process.kill(rows[0]!.pid, 'SIGKILL');
  await ended;
  for (;;) {
    try {
      await query(url, 'SELECT');
      return;
    } catch (error) {
      if (!/recovery mode|starting up|not yet accepting|ECONNRESET|terminated/.test(String(error)))
        throw error;
    }
  }
}
