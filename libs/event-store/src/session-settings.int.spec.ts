import { describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { append, migrateDatabase, openDatabase, readStream, sessionFaults } from '#event-store';
import { migrations } from '#migrations';
import { createTestDatabase } from '../../../test/support/database.js';
import { marker, markers } from '../../../test/support/events.js';
import { giveOddDefaults } from '../../../test/support/odd-defaults.js';
import { query } from '../../../test/support/query.js';

describe('a database whose defaults are odd', () => {
  it('is read right by each connection, and found where one does not have its settings', async () => {
    const server = await createTestDatabase();
    await giveOddDefaults(server.url);
    const plain = await new DataSource({
      ...{ type: 'postgres', url: server.url, extra: { statement_timeout: 60_000 } },
    }).initialize();
    const database = await openDatabase(server.url);
    try {
      const faults = await sessionFaults(plain);
      expect(faults).toContainEqual({ setting: 'DateStyle', is: 'German, DMY', mustBe: 'ISO, MDY' });
      expect(faults).toContainEqual({ setting: 'TimeZone', is: 'Asia/Kolkata', mustBe: 'UTC' });
      expect(faults.length).toBeGreaterThan(10);
      expect(await sessionFaults(database)).toEqual([]);
      const values = `
        SELECT '2026-02-03T04:05:06.789Z'::timestamptz AS at, '\\x00ff'::bytea AS bytes, 0.1::float8 + 0.2 AS sum,
               'a\\b' AS text, ARRAY['a', NULL] AS list, current_setting('statement_timeout') AS statement,
               current_setting('search_path') AS path, '{NULL}'::text[] AS nulls`;
      expect(await database.query(values)).toEqual([
        {
          ...{ at: new Date('2026-02-03T04:05:06.789Z'), bytes: Buffer.from([0, 255]), sum: 0.1 + 0.2 },
          ...{ text: 'a\\b', list: ['a', null], statement: '0', path: 'public', nulls: [null] },
        },
      ]);
    } finally {
      await plain.destroy();
      await database.destroy();
      await server.drop();
    }
  });

  it('has its tables in the schema that its address names', async () => {
    const server = await createTestDatabase();
    await query(server.url, 'CREATE SCHEMA curtail');
    const url = `${server.url}?options=-c%20search_path%3Dcurtail`;
    try {
      await migrateDatabase(url, migrations);
      const rows = await query(
        server.url,
        "SELECT DISTINCT schemaname FROM pg_tables WHERE tablename IN ('events', 'clocks', 'migrations')",
      );
      expect(rows).toEqual([{ schemaname: 'curtail' }]);
      const database = await openDatabase(url);
      await database.transaction((tx) => append(tx, [markers('a', 0, marker('a1'))]));
      expect(await readStream(database, 'a')).toHaveLength(1);
      await database.destroy();
    } finally {
      await server.drop();
    }
  });
});
