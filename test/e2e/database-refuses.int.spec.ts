import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { StatusView } from '#contracts/api';
import type { DatabaseRefusal } from '#platform';
import { RefusedWrites } from '#runtime';
import { curtail } from '../../apps/curtail/testing/test-terminal.js';
import { createMigratedDatabase, serverUrl, type TestDatabase } from '../support/database.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { query } from '../support/query.js';
import { configuration } from '../support/queue-spec.js';
import { SmallDisk } from '../support/small-disk.js';
import type { TestPartition } from '../support/test-partition.js';

/** Many queues, so that their tables need new blocks. */
const large = (delay: string) =>
  Object.fromEntries(
    Array.from({ length: 3000 }, (_, nr) => [`queue-${nr}`, { max: { memory: 100 + nr }, delay }]),
  );

const screenOf = async (system: EmbeddedSystem) => {
  const { stdout, status } = await curtail(['--server', system.url, '--no-color', 'status'], {
    columns: 200,
  });
  const [first = '', ...rest] = stdout.split('\n');
  return { status, first, rest: rest.join('\n') };
};
const until = (system: EmbeddedSystem, isUp: boolean) =>
  system.until('the state of the database to be known', async () => {
    const { down = [] } = await system.get<StatusView>('/v1/status');
    return (down.length === 0) === isUp;
  });

const isPossible = SmallDisk.isPossible();
(isPossible ? describe : describe.skip)(
  isPossible ? 'a full disk' : 'a full disk (not run: only root may mount one on Linux)',
  () => {
    let disk: SmallDisk;
    let system: EmbeddedSystem;
    let partition: TestPartition;
    beforeAll(async () => {
      disk = await SmallDisk.make(serverUrl());
      system = await EmbeddedSystem.start({}, { url: disk.url, drop: async () => {} });
      partition = system.partition();
      await partition.configure({ a: { max: { memory: 100 }, delay: '1h' } });
    });
    afterAll(async () => {
      await system?.stop();
      await disk?.remove();
    });

    it('is named in answers, readiness, status and metrics, until there is room again', async () => {
      await until(system, true);
      await disk.fill();
      const { status, body } = await partition.submit(configuration(partition.name, large('1h')));
      expect({ status, body }).toMatchObject({
        status: 503,
        body: {
          type: 'urn:curtail:problem:database-full',
          title: 'The disk of the database is full',
          detail: expect.stringContaining('The disk of the database is full: nothing is recorded'),
          remedy: expect.stringContaining('Make room on that disk'),
        },
      });
      const { status: code, first, rest } = await screenOf(system);
      expect(code).toBe(1);
      expect(first).toContain('DOWN: database (the disk of the database is full');
      expect(rest).toContain('make room on that disk');
      // It can still be read.
      expect(rest).toContain(`Partition ${partition.name}: `);
      const { attention, incomplete } = await system.get<StatusView>('/v1/status');
      expect(attention[0]).toMatchObject({ code: 'database-full' });
      expect(incomplete).toBeUndefined();
      expect(await system.refused('GET', '/readyz')).toMatchObject({
        status: 503,
        down: ['database'],
        detail: expect.stringContaining('the disk of the database is full'),
      });
      const metrics = async () => String((await system.request('GET', '/metrics')).body);
      expect(await metrics()).toContain('curtail_database_writes_refused{reason="database-full"} 1');

      await disk.empty();
      await until(system, true);
      expect(await system.get('/readyz')).toEqual({ status: 'ok' });
      expect(await metrics()).not.toContain('curtail_database_writes_refused{');
      expect((await screenOf(system)).first).not.toContain('DOWN');
      await partition.configure(large('1h'));
    });

    it('is found where nothing is written', async () => {
      await disk.fill();
      const seen: (DatabaseRefusal | undefined)[] = [];
      const writes = new RefusedWrites(disk.url, (refusal) => seen.push(refusal));
      await expect(writes.assertTaken()).rejects.toMatchObject({ code: 'database-full' });
      await disk.empty();
      await writes.assertTaken();
      writes.stop();
      expect(seen.map((refusal) => refusal?.code)).toEqual(['database-full', undefined]);
      await until(system, true);
    });
  },
);

describe('a database that is read-only', () => {
  let database: TestDatabase;
  let system: EmbeddedSystem;
  beforeAll(async () => {
    database = await createMigratedDatabase();
    system = await EmbeddedSystem.start({}, database);
  });
  afterAll(async () => {
    await system?.stop();
    await database?.drop();
  });

  it('says so, and takes writes again by itself', async () => {
    const name = new URL(database.url).pathname.slice(1);
    const turn = async (state: 'on' | 'off') => {
      await query(serverUrl(), `ALTER DATABASE ${name} SET default_transaction_read_only = ${state}`);
      await query(
        serverUrl(),
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND application_name LIKE 'curtail%'`,
      );
    };
    await turn('on');
    await until(system, false);
    const partition = system.partition();
    const { first, rest } = await screenOf(system);
    expect(first).toContain('DOWN: database (the database takes no writes');
    expect(rest).toContain('let DATABASE_URL name the primary');
    expect(
      await system.refused('POST', '/v1/kill-switch', { partition: 'default', by: 'ada' }),
    ).toMatchObject({
      status: 503,
      type: 'urn:curtail:problem:database-read-only',
    });
    await turn('off');
    await until(system, true);
    await partition.configure({ a: { max: { memory: 100 }, delay: '1h' } });
  });
});
