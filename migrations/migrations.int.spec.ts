import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DataSource, type MigrationInterface, type QueryRunner } from 'typeorm';
import { migrateDatabase, openDatabase } from '#event-store';
import { migrations } from '#migrations';
import { createTestDatabase, type TestDatabase } from '../test/support/database.js';
import { Recorded } from '../test/support/recorded.js';
import { createIndexConcurrently } from './create-index-concurrently.js';

describe('migrations', () => {
  let server: TestDatabase;
  beforeEach(async () => {
    server = await createTestDatabase();
  });
  afterEach(() => server.drop());

  /** The contents of the database, but for the list of migrations itself. */
  async function contents(): Promise<string[]> {
    const db = await openDatabase(server.url);
    try {
      const rows: { name: string }[] = await db.query(
        `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname !~ '^(pk_)?migrations'
         ORDER BY relname`,
      );
      return rows.map(({ name }) => name).filter((name) => !/^PK_/.test(name));
    } finally {
      await db.destroy();
    }
  }

  it('are applied once by three who start at the same time on an empty database', async () => {
    const applied = await Promise.all([1, 2, 3].map(() => migrateDatabase(server.url, migrations)));
    const names = migrations.map((migration) => migration.name);
    expect(applied.map((one) => one.length).sort()).toEqual([0, 0, names.length]);
    expect(applied.flat()).toEqual(names);
    expect(await contents()).toEqual(expect.arrayContaining(['events', 'timers', 'read_runs']));
    expect(await migrateDatabase(server.url, migrations)).toEqual([]);
  });

  it('stand in the order of their times', () => {
    const times = migrations.map((migration) => Number(/\d+$/.exec(migration.name)?.[0]));
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  describe('while others work', () => {
    class Table1763749990000 implements MigrationInterface {
      async up(runner: QueryRunner): Promise<void> {
        await runner.query('CREATE TABLE busy (id int, note text)');
      }
      async down(): Promise<void> {}
    }
    class Column1763749990001 implements MigrationInterface {
      async up(runner: QueryRunner): Promise<void> {
        await runner.query('ALTER TABLE busy ADD COLUMN more text');
      }
      async down(): Promise<void> {}
    }
    class Index1763749990002 implements MigrationInterface {
      readonly transaction = false;
      async up(runner: QueryRunner): Promise<void> {
        await createIndexConcurrently(runner, 'busy_by_id', 'busy (id)');
      }
      async down(): Promise<void> {}
    }
    const all = [Table1763749990000, Column1763749990001, Index1763749990002];
    let db: DataSource;
    beforeEach(async () => {
      await migrateDatabase(server.url, [Table1763749990000]);
      db = await openDatabase(server.url);
    });
    afterEach(() => db.destroy());

    it('give up a lock that they have to wait for, so that others can work, and try again', async () => {
      const holder = db.createQueryRunner();
      await holder.startTransaction();
      await holder.query('INSERT INTO busy (id) VALUES (1)');
      const busy = new Recorded<string>();
      const migrating = migrateDatabase(server.url, all, {
        lockTimeoutMs: 50,
        onBusy: ({ message }) => busy.add(message),
      });
      expect(await busy.first(2)).toEqual(Array(2).fill(expect.stringContaining('lock timeout')));
      await db.query('INSERT INTO busy (id) VALUES (2)');
      await holder.commitTransaction();
      await holder.release();
      expect(await migrating).toEqual(['Column1763749990001', 'Index1763749990002']);
      expect(await db.query('SELECT id, more FROM busy ORDER BY id')).toHaveLength(2);
    });

    it('say what keeps them when it takes too long', async () => {
      const holder = db.createQueryRunner();
      await holder.startTransaction();
      await holder.query('LOCK TABLE busy IN ACCESS SHARE MODE');
      const options = { lockTimeoutMs: 10, patienceMs: 0 };
      await expect(migrateDatabase(server.url, all, options)).rejects.toThrow(
        /could not be brought up to date within 0 s, because other sessions hold locks.*lock timeout/,
      );
      await holder.rollbackTransaction();
      await holder.release();
    });

    it('make an index beside an open transaction that writes, and beside others that wait for their turn', async () => {
      await migrateDatabase(server.url, all.slice(0, 2));
      const writer = db.createQueryRunner();
      await writer.startTransaction();
      await writer.query('INSERT INTO busy (id) VALUES (1)');
      const first = migrateDatabase(server.url, all);
      const building =
        "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX CONCURRENTLY busy%' AND datname = current_database()";
      while ((await db.query(building)).length === 0);
      const second = migrateDatabase(server.url, all);
      const waiting =
        "SELECT 1 FROM pg_stat_activity WHERE application_name = 'curtail-migrate' AND datname = current_database()";
      while ((await db.query(waiting)).length < 2);
      await db.query('INSERT INTO busy (id) VALUES (2)');
      await writer.query('INSERT INTO busy (id) VALUES (3)');
      await writer.commitTransaction();
      await writer.release();
      expect((await Promise.all([first, second])).flat()).toEqual(['Index1763749990002']);
      const [index] = await db.query(
        "SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = 'busy_by_id'::regclass",
      );
      expect(index).toEqual({ valid: true });
    });

    it('make an index again that an earlier try has left unfinished', async () => {
      await migrateDatabase(server.url, all.slice(0, 2));
      await db.query('INSERT INTO busy (id) VALUES (1), (1)');
      await expect(db.query('CREATE UNIQUE INDEX CONCURRENTLY busy_by_id ON busy (id)')).rejects.toThrow(
        'unique',
      );
      await migrateDatabase(server.url, all);
      const [index] = await db.query(
        "SELECT indisvalid AS valid, indisunique AS only FROM pg_index WHERE indexrelid = 'busy_by_id'::regclass",
      );
      expect(index).toEqual({ valid: true, only: false });
    });
  });

  it('can be taken back one by one, to nothing, and applied again', async () => {
    await migrateDatabase(server.url, migrations);
    const whole = await contents();
    const db = await new DataSource({ type: 'postgres', url: server.url, migrations }).initialize();
    try {
      for (const _ of migrations) await db.undoLastMigration({ transaction: 'each' });
    } finally {
      await db.destroy();
    }
    expect(await contents()).toEqual([]);
    await migrateDatabase(server.url, migrations);
    expect(await contents()).toEqual(whole);
  });
});
