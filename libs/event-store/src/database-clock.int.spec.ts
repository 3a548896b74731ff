import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { createMigratedDatabase, type TestDatabase } from '../../../test/support/database.js';
import { append } from './append.js';
import { openDatabase } from './database.js';
import { DatabaseClock } from './database-clock.js';
import { databaseTime } from './database-statements.js';
import { readStream } from './read.js';

describe('the clock of the database', () => {
  let test: TestDatabase;
  let db: DataSource;
  let clock: DatabaseClock;
  beforeAll(async () => {
    test = await createMigratedDatabase();
    db = await openDatabase(test.url);
    clock = await DatabaseClock.start(db);
  });
  afterAll(async () => {
    clock?.stop();
    await db?.destroy();
    await test?.drop();
  });

  it('is never ahead, and advances without a query', async () => {
    for (let i = 0; i < 20; i++) {
      const before = clock.now();
      expect((await databaseTime(db)).getTime()).toBeGreaterThanOrEqual(before.getTime());
      expect(clock.now().getTime()).toBeGreaterThanOrEqual(before.getTime());
      if (i % 5 === 0) await clock.sync();
    }
  });

  it('does not follow the clock of the process, and reports its offset', () => {
    const right = clock.now().getTime();
    const wrong = jest.spyOn(Date, 'now').mockReturnValue(right + 600_000);
    try {
      expect(clock.now().getTime() - right).toBeLessThan(60_000);
      expect(clock.ownSkewMs).toBeGreaterThan(540_000);
    } finally {
      wrong.mockRestore();
    }
  });

  it('is the time of events that have no time of their own', async () => {
    const before = await databaseTime(db);
    const event = { name: 'ModeChanged', data: { partition: 'p', mode: 'observe', by: 'ada' } } as const;
    await append(db.manager, [
      { stream: 'control-p', partition: 'p', expectedVersion: 0, events: [{ event, key: 'p' }] },
    ]);
    const [stored] = await readStream(db, 'control-p');
    expect(stored!.time.getTime()).toBeGreaterThanOrEqual(before.getTime());
    expect(stored!.time.getTime()).toBeLessThanOrEqual((await databaseTime(db)).getTime());
  });
});
