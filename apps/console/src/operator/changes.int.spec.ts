import { controlStream, known, operatorStream, readStream } from '@curtail/event-store';
import { expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { Changes } from './changes.js';

const runs = 1200;
const LOCK = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';

let db: DataSource;
withMigratedDatabase(async (opened) => {
  db = opened;
  await db.query("INSERT INTO configuration_texts VALUES ('p', '', '', now())");
  await db.query(
    `INSERT INTO configurations (partition, version, applied_at, format, digest, quota_preemption_enabled)
     VALUES ('p', 7, now(), 'yunikorn', '', true)`,
  );
  await db.query(
    `INSERT INTO executions (enforcement, partition, queue, fencing_token, configuration, next_step_at)
     SELECT 'e-' || i, 'p', 'root.q' || i, i, 7, now() FROM generate_series(1, $1::int) AS i`,
    [runs],
  );
});

const eventsOf = async (stream: string) => (await readStream(db, stream)).map((event) => known(event).name);

it('rejects a change at once, and holds up no stop, however long it takes to tell its runs', async () => {
  let decided: Promise<unknown> = Promise.resolve();
  await db.transaction(async (other) => {
    await other.query(LOCK, [operatorStream('e-1')]);
    decided = new Changes(db).decide({
      ...{ partition: 'p', version: 7, approved: false },
      ...{ by: 'ann', reason: 'a mistake' },
    });
    for (let waits = 0; waits === 0; ) {
      const [row] = await other.query<[{ waits: number }]>(
        `SELECT count(*)::int AS waits FROM pg_locks
         WHERE locktype = 'advisory' AND NOT granted
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      waits = row.waits;
    }
    expect(await eventsOf(controlStream('p'))).toEqual(['ConfigurationRejected']);
    expect(await db.query('SELECT approved FROM configuration_decisions')).toEqual([{ approved: false }]);
    const [stop] = await db.query<unknown[]>(
      'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS "mayStop"',
      [controlStream('p')],
    );
    expect(stop).toEqual({ mayStop: true });
  });
  expect(await decided).toMatchObject({ approved: false, runs });
  const told = await db.query('SELECT count(*)::int AS told FROM stream_heads WHERE stream LIKE $1', [
    `${operatorStream('e-')}%`,
  ]);
  expect(told).toEqual([{ told: runs }]);
  expect(await eventsOf(operatorStream(`e-${runs}`))).toEqual(['PlanRejected']);
});
