import { openDatabase } from '@curtail/event-store';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { createMigratedDatabase, type TestDatabase } from '../../../test/support/database.js';
import { OpenExecutions } from './open-executions.js';

describe('the hold of a run', () => {
  let test: TestDatabase;
  let database: DataSource;
  let executions: OpenExecutions;
  const run = { enforcement: 'e-1', partition: 'default', queue: 'root.a', fencingToken: 7 };

  beforeAll(async () => {
    test = await createMigratedDatabase();
    database = await openDatabase(test.url);
  });
  afterAll(async () => {
    await database?.destroy();
    await test?.drop();
  });
  beforeEach(async () => {
    executions = new OpenExecutions(database);
    await database.query('DELETE FROM executions');
    await database.transaction((tx) => executions.add(tx, [run]));
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('is taken by one process', async () => {
    expect((await executions.claim(10, [])).runs).toEqual([run]);
    expect((await new OpenExecutions(database).claim(10, [])).runs).toEqual([]);
  });

  it('is taken back at once by the process that has it and does not know, after the database was away', async () => {
    await executions.claim(10, []);
    expect((await executions.claim(10, [])).runs).toEqual([run]);
  });

  it('is not taken a second time by the process that carries the run on, however long a step takes', async () => {
    await executions.claim(10, []);
    await database.query(`UPDATE executions SET lease_until = now() - interval '1 minute'`);
    expect((await executions.claim(10, [run.enforcement])).runs).toEqual([]);
    expect((await new OpenExecutions(database).claim(10, [])).runs).toEqual([run]);
    // It asks again only after a while, in which a hold cannot have been lost.
    const now = performance.now();
    jest.spyOn(performance, 'now').mockReturnValue(now + 15_000);
    expect(await executions.keepHold(run.enforcement)).toBe(false);
  });
});
