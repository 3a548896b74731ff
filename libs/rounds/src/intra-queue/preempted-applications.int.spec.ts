import { expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { notePreempted } from './intra-queue-tables.js';

let db: DataSource;
withMigratedDatabase((opened) => {
  db = opened;
});

it('keeps losses for a week, and for as long as a cooldown lasts', async () => {
  const note = (application: string, at: string, cooldownMs: number) =>
    db.transaction((tx) => notePreempted(tx, 'p', [application], { at: new Date(at), cooldownMs }));
  const kept = async () =>
    (await db.query('SELECT application FROM preempted_applications ORDER BY 1')).map(
      ({ application }: { application: string }) => application,
    );
  await note('first', '2026-11-01T10:00:00Z', 0);
  await note('second', '2026-11-08T10:00:00Z', 0);
  expect(await kept()).toEqual(['first', 'second']);
  await note('third', '2026-11-08T10:00:01Z', Number.MAX_SAFE_INTEGER);
  expect(await kept()).toEqual(['first', 'second', 'third']);
  await note('third', '2026-11-08T10:00:01Z', 0);
  expect(await kept()).toEqual(['second', 'third']);
});
