import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { migrations } from '#migrations';
import { createMigratedDatabase, createTestDatabase, type TestDatabase } from './database.js';
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

  it('gives all tables to those that ask for them, and none to others', async () => {
    const migrated = await createMigratedDatabase();
    expect(await query(migrated.url, 'SELECT name FROM migrations')).toHaveLength(migrations.length);
    await migrated.drop();
    const tables = `SELECT tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`;
    expect(await query(other.url, tables)).toEqual([]);
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
