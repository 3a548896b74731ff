import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { append, beginning, openDatabase, readPage } from '#event-store';
import { until } from '../../../test/faults/until.js';
import { createMigratedDatabase, type TestDatabase } from '../../../test/support/database.js';
import { marker, markers } from '../../../test/support/events.js';
import { LogKeeper } from './log-keeper.js';

let server: TestDatabase;
let db: DataSource;
beforeEach(async () => {
  server = await createMigratedDatabase();
  db = await openDatabase(server.url);
  await append(db.manager, [markers('a', 0, marker('old'))]);
});
afterEach(async () => {
  await db.destroy();
  await server.drop();
});

const comeFromElsewhere = () =>
  db.query('UPDATE events SET transaction_id = (transaction_id::text::bigint + 1000000)::text::xid8');

it('reports once, at the start, that the log continues in another cluster', async () => {
  await comeFromElsewhere();
  const warned: unknown[] = [];
  const log = { warn: (...entry: unknown[]) => warned.push(entry) };
  for (const _ of [1, 2]) await (await LogKeeper.start(db, log)).stop();
  expect(warned).toEqual([
    [
      { position: '1' },
      expect.stringMatching(/another PostgreSQL cluster; the log continues after position 1\./),
    ],
  ]);
});

it('continues the log under a running process when the database is exchanged', async () => {
  const keeper = await LogKeeper.start(db, { warn: () => {} }, { everyMs: 20 });
  try {
    await comeFromElsewhere();
    await append(db.manager, [markers('a', 1, marker('new'))]);
    await until(
      async () => server.url,
      'SELECT ahead > 0 FROM log_epoch',
      () => 'the log does not continue',
    );
    expect((await readPage(db, beginning, { limit: 10 })).events).toHaveLength(2);
  } finally {
    await keeper.stop();
  }
});
