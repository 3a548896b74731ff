import { afterAll, beforeAll } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { openDatabase } from '#event-store';
import { createMigratedDatabase, type TestDatabase } from './database.js';

/** Gives the tests of a suite a migrated database, opened before the first and removed after the last. */
export function withMigratedDatabase(begin: (db: DataSource) => unknown): void {
  let test: TestDatabase | undefined;
  let db: DataSource | undefined;
  beforeAll(async () => {
    test = await createMigratedDatabase();
    db = await openDatabase(test.url);
    await begin(db);
  });
  afterAll(async () => {
    await db?.destroy();
    await test?.drop();
  });
}
