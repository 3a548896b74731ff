import { migrateDatabase, openDatabase } from '@curtail/event-store';
import { migrations } from '@curtail/migrations';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../test/support/database.js';

describe('migrations', () => {
  let server: TestDatabase;
  beforeEach(async () => {
    server = await createTestDatabase();
  });
  afterEach(() => server.drop());

  /** What stands in the database, but for the list of migrations itself. */
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
    expect(await contents()).toEqual(expect.arrayContaining(['events', 'timers', 'read_enforcements']));
    expect(await migrateDatabase(server.url, migrations)).toEqual([]);
  });

  it('stand in the order of their times', () => {
    const times = migrations.map((migration) => Number(/\d+$/.exec(migration.name)?.[0]));
    expect(times).toEqual([...times].sort((a, b) => a - b));
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
