import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { migrateDatabase } from '#event-store';
import { migrations } from '#migrations';
import { startEmbeddedPostgres } from '#platform';
import { CurtailFolder } from '../support/curtail-process.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { contentsOf, makeOldDatabase } from '../support/old-database.js';
import { query } from '../support/query.js';

/** What it is, and what to do. */
const refused =
  /made by a build of Curtail from before 0\.1\.0[\s\S]*new database[\s\S]*data folder[\s\S]*curtail export/;

describe('a database from before 0.1.0', () => {
  let database: TestDatabase;
  let folder: CurtailFolder;
  beforeEach(async () => {
    [database, folder] = await Promise.all([createTestDatabase(), CurtailFolder.create()]);
  });
  afterEach(async () => {
    await Promise.all([folder.remove(), database.drop()]);
  });

  it('is refused before anything in it is changed', async () => {
    await makeOldDatabase(database.url);
    const before = await contentsOf(database.url);
    await expect(migrateDatabase(database.url, migrations)).rejects.toMatchObject({
      code: 'database-too-old',
      message: expect.stringMatching(refused),
    });
    expect(await contentsOf(database.url)).toEqual(before);
  });

  it('ends a start with DATABASE_URL, which states what to do, and stays as it is', async () => {
    await makeOldDatabase(database.url);
    const before = await contentsOf(database.url);
    const curtail = folder.spawn({ environment: { DATABASE_URL: database.url } });
    expect(await curtail.ended).toEqual({ code: 2, signal: null });
    expect(curtail.output).toMatch(refused);
    expect(await contentsOf(database.url)).toEqual(before);
  });

  it('ends a start on its data folder, which the build that made it can continue', async () => {
    const inFolder = async <T>(work: (url: string) => Promise<T>): Promise<T> => {
      const server = await startEmbeddedPostgres({ dataDir: folder.dataDir });
      try {
        return await work(server.url);
      } finally {
        await server.stop();
      }
    };
    const before = await inFolder(async (url) => {
      await makeOldDatabase(url);
      return contentsOf(url);
    });
    const curtail = folder.spawn();
    expect(await curtail.ended).toEqual({ code: 2, signal: null });
    expect(curtail.output).toMatch(refused);
    expect(await folder.serverPid()).toBeUndefined();
    expect(await inFolder(contentsOf)).toEqual(before);
  });
});

describe('a database with other migrations', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  it.each([
    ['(id serial, timestamp bigint, name text)', "(timestamp, name) VALUES (1, 'Shop1')", 'Shop1'],
    ['(id serial, migration text, batch int)', "(migration, batch) VALUES ('make_shop', 1)", 'make_shop'],
  ])('is refused if another program made them: %s', async (columns, row, first) => {
    await query(database.url, `CREATE TABLE migrations ${columns}; INSERT INTO migrations ${row}`);
    const before = await contentsOf(database.url);
    await expect(migrateDatabase(database.url, migrations)).rejects.toMatchObject({
      code: 'database-foreign',
      message: expect.stringContaining(`begins with "${first}": give Curtail a database of its own`),
    });
    expect(await contentsOf(database.url)).toEqual(before);
  });

  it('is used if a newer release added them', async () => {
    await migrateDatabase(database.url, migrations);
    await query(
      database.url,
      "INSERT INTO migrations (timestamp, name) VALUES (1999999999999, 'Later1999999999999')",
    );
    expect(await migrateDatabase(database.url, migrations)).toEqual([]);
  });
});
