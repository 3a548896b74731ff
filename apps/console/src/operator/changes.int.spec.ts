import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { controlStream, known, operatorStream, readStream, type Tx } from '#event-store';
import { withMigratedDatabase } from '../../../../test/support/migrated-database.js';
import { Changes } from './changes.js';

const runs = 1200;
const LOCK = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';

let db: DataSource;
withMigratedDatabase(async (opened) => {
  db = opened;
  await db.query("INSERT INTO configuration_texts VALUES ('p', '', '', now())");
});

/** A version of the configuration with so many open runs. */
async function change(version: number): Promise<void> {
  await db.query(
    `INSERT INTO configurations (partition, version, applied_at, format, digest, quota_preemption_enabled)
     VALUES ('p', $1, now(), 'yunikorn', '', true)`,
    [version],
  );
  await db.query(
    `INSERT INTO runs (enforcement, partition, queue, fencing_token, configuration, next_step_at)
     SELECT 'e' || $2::int || '-' || i, 'p', 'root.q' || i, $2::int * 10000 + i, $2::int, now()
     FROM generate_series(1, $1::int) AS i`,
    [runs, version],
  );
}

/** Until a command waits for the lock of another one. */
async function untilOneWaits(tx: Tx): Promise<void> {
  for (;;) {
    const [row] = await tx.query<[{ waits: boolean }]>(
      `SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS waits`,
    );
    if (row.waits) return;
    await delay(10);
  }
}

const eventsOf = async (stream: string) => (await readStream(db, stream)).map((event) => known(event).name);

async function runsWithARecord(version: number): Promise<number> {
  const [row] = await db.query<[{ runs: number }]>(
    'SELECT count(*)::int AS runs FROM stream_heads WHERE stream LIKE $1',
    [`${operatorStream(`e${version}-`)}%`],
  );
  return row.runs;
}

it('rejects a change at once, and holds up no stop, however long it takes to record it in its runs', async () => {
  await change(7);
  let decided: Promise<unknown> = Promise.resolve();
  await db.transaction(async (other) => {
    await other.query(LOCK, [operatorStream('e7-1')]);
    decided = new Changes(db).decide({
      ...{ partition: 'p', version: 7, approved: false },
      ...{ by: 'ann', reason: 'a mistake' },
    });
    await untilOneWaits(other);
    expect(await eventsOf(controlStream('p'))).toEqual(['ConfigurationRejected']);
    expect(await db.query('SELECT approved FROM configuration_decisions')).toEqual([{ approved: false }]);
    const [stop] = await db.query<unknown[]>(
      'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS "mayStop"',
      [controlStream('p')],
    );
    expect(stop).toEqual({ mayStop: true });
  });
  expect(await decided).toMatchObject({ approved: false, runs });
  expect(await runsWithARecord(7)).toBe(runs);
  expect(await eventsOf(operatorStream(`e7-${runs}`))).toEqual(['PlanRejected']);
});

it('records nothing more in the runs once another decision has replaced it', async () => {
  await change(8);
  const changes = new Changes(db);
  let rejected: Promise<unknown> = Promise.resolve();
  await db.transaction(async (other) => {
    await other.query(LOCK, [operatorStream('e8-1')]);
    rejected = changes.decide({ partition: 'p', version: 8, approved: false, by: 'ann', reason: undefined });
    await untilOneWaits(other);
    await changes.decide({ partition: 'p', version: 8, approved: true, by: 'bob', reason: undefined });
  });
  await rejected;
  expect(await runsWithARecord(8)).toBe(0);
});
