import { migrations } from '@curtail/migrations';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from './database.js';
import { query } from './query.js';

describe('createTestDatabase', () => {
  let one: TestDatabase;
  let other: TestDatabase;
  beforeAll(async () => {
    [one, other] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  });
  afterAll(async () => {
    await Promise.all([one.drop(), other.drop()]);
  });

  it('gives each suite a database that sees nothing of another', async () => {
    await query(one.url, 'CREATE TABLE mine (id int)');
    await expect(query(other.url, 'SELECT * FROM mine')).rejects.toMatchObject({ code: '42P01' });
  });

  it('gives all tables, or none', async () => {
    const tables = `SELECT count(*)::int AS tables FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`;
    const applied = await query(one.url, 'SELECT name FROM migrations');
    expect(applied).toHaveLength(migrations.length);
    const empty = await createEmptyDatabase();
    expect(await query(empty.url, tables)).toEqual([{ tables: 0 }]);
    await empty.drop();
  });

  it('drops a database that someone is still connected to', async () => {
    const third = await createTestDatabase();
    const client = new Client({ connectionString: third.url });
    const cut = new Promise<Error>((resolve) => client.on('error', resolve));
    await client.connect();
    await third.drop();
    expect(await cut).toBeInstanceOf(Error);
    await expect(query(third.url, 'SELECT 1')).rejects.toMatchObject({ code: '3D000' });
  });
});
