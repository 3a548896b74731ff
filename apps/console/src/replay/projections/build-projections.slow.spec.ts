import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type { ProjectionsReplay } from '#contracts/api';
import { beginning, openDatabase, readRange, WakeListener } from '#event-store';
import { consumerOf, InProcessBus } from '#messaging';
import { Metrics } from '#platform';
import { createMigratedDatabase, type TestDatabase } from '../../../../../test/support/database.js';
import { generateLog, type LogRow } from '../../../../../test/support/generated-log/generate.js';
import { writeGeneratedLog, writeRows } from '../../../../../test/support/generated-log/write.js';
import { byTest, readModel, replaysOn } from '../../../../../test/support/replays.js';
import { FoldEvents, foldEvents } from '../../read-model/fold-events.js';
import type { FoldedEvent } from '../../read-model/folded-event.js';
import { MeasureEvents } from '../../read-model/measure-events.js';
import { readKnown } from '../../read-model/read-known.js';
import { liveTables } from '../../read-model/statements.js';

const events = 12_000;

let server: TestDatabase;
let db: DataSource;
beforeEach(async () => {
  server = await createMigratedDatabase();
  db = await openDatabase(server.url);
});
afterEach(async () => {
  await db.destroy();
  await server.drop();
});

/** The read model that one fold over the whole log gives. */
async function foldedAtOnce(): Promise<Record<string, unknown[]>> {
  const all: FoldedEvent[] = [];
  for (let cursor = beginning; ; ) {
    const page = await readRange(db, cursor, {}, 5000);
    if (page.passed === 0) break;
    all.push(...(await readKnown(page.events, { count: 0, first: [] })));
    cursor = page.next;
  }
  await db.transaction(async (tx) => {
    await tx.query('TRUNCATE read_runs, read_victims, read_notices RESTART IDENTITY');
    await foldEvents(tx, liveTables, all);
  });
  return readModel(db);
}

async function cursorOfConsole(): Promise<unknown> {
  return db.query(`SELECT transaction_id, position FROM subscriptions WHERE name = 'console'`);
}

const firstPlan = `SELECT min(position) FROM events WHERE type = 'io.curtail.plan.computed.v1'`;

async function build(): Promise<ProjectionsReplay> {
  const running = await replaysOn(db).begin('projections', {}, byTest);
  return (await running.finished) as ProjectionsReplay;
}

/** Names and definitions of everything that belongs to the tables. */
const shape = async () => ({
  indexes: await db.query(
    `SELECT tablename, indexname, indexdef FROM pg_indexes WHERE tablename LIKE 'read\\_%' ORDER BY 1, 2`,
  ),
  columns: await db.query(
    `SELECT table_name, column_name, ordinal_position, column_default, is_nullable, data_type, is_identity, collation_name
     FROM information_schema.columns WHERE table_name LIKE 'read\\_%' ORDER BY 1, 3`,
  ),
  constraints: await db.query(
    `SELECT conrelid::regclass::text AS of, conname, pg_get_constraintdef(oid) FROM pg_constraint
     WHERE conrelid::regclass::text LIKE 'read\\_%' ORDER BY 1, 2`,
  ),
  sequences: await db.query(
    `SELECT schemaname, sequencename FROM pg_sequences WHERE sequencename LIKE 'read\\_%'`,
  ),
  schemas: await db.query(`SELECT nspname FROM pg_namespace WHERE nspname LIKE 'curtail%'`),
});

describe('a replay into projections', () => {
  it('makes of the log what the consumer makes of it, in tables that are the same in every way', async () => {
    await writeGeneratedLog(db, events);
    const expected = await foldedAtOnce();
    expect(expected.runs!.length).toBeGreaterThan(500);
    expect(new Set((expected.victims as { state: string }[]).map(({ state }) => state)).size).toBeGreaterThan(
      4,
    );
    const before = await shape();
    await db.query(`DELETE FROM read_runs WHERE enforcement < 'e-00000000000f'`);
    await db.query(`UPDATE read_victims SET state = 'wrong'`);
    await db.query('GRANT SELECT ON read_victims TO PUBLIC');

    const result = await build();

    expect(await readModel(db)).toEqual(expected);
    expect(result).toEqual({
      events,
      runs: expected.runs!.length,
      victims: expected.victims!.length,
      notices: expected.notices!.length,
      unreadable: { count: 0, first: [] },
    });
    expect(await shape()).toEqual(before);
    expect(
      await db.query(`SELECT has_table_privilege('pg_monitor', 'read_victims', 'SELECT') AS granted`),
    ).toEqual([{ granted: true }]);
    expect(await cursorOfConsole()).toEqual(
      await db.query('SELECT transaction_id, position FROM events ORDER BY 1 DESC, 2 DESC LIMIT 1'),
    );
  });

  it('loses and duplicates nothing while events arrive and the consumer works, and never shows a half-built table', async () => {
    const { rows } = await generateLog(20 * events, 2);
    const next = (count: number) => Array.from({ length: count }, () => rows.next().value as LogRow);
    await writeRows(db, next(3000));
    const wake = new WakeListener(server.url);
    await wake.start();
    const parked: string[] = [];
    const bus = new InProcessBus({
      database: db,
      wake,
      pollMs: 5,
      onParked: (_, id, reason) => parked.push(`${id}: ${reason}`),
    });
    const metrics = new Metrics();
    bus.subscribe(consumerOf(new FoldEvents(new MeasureEvents(metrics), null, { soon: () => {} })));
    await bus.start();
    const caughtUp = async () => {
      while ((await bus.status())[0]!.lag > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    };
    await caughtUp();

    let writing = true;
    const counts: number[] = [];
    const reading = (async () => {
      while (writing) {
        const found = await db.query(
          'SELECT (SELECT count(*)::int FROM read_victims) + (SELECT count(*)::int FROM read_runs) AS rows',
        );
        counts.push(found[0].rows);
      }
    })();
    const builds: ProjectionsReplay[] = [];
    const building = (async () => {
      for (let i = 0; i < 3; i++) builds.push(await build());
      writing = false;
    })();
    while (writing) await writeRows(db, next(20));
    await Promise.all([reading, building]);
    await caughtUp();
    await bus.stop();
    await wake.stop();

    // At each swap there were events that could have been lost.
    expect(builds.map(({ events }) => events)).toEqual(
      [...new Set(builds.map(({ events }) => events))].sort((a, b) => a - b),
    );
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    const lived = await readModel(db);
    expect(lived).toEqual(await foldedAtOnce());
    expect(parked).toEqual([]);
    // Nor do the counters beside the tables miss anything.
    const ended = await db.query(
      `SELECT count(*)::int AS count FROM events WHERE type = 'io.curtail.enforcement.ended.v1'`,
    );
    const { values } = await metrics.registry.getSingleMetric('curtail_enforcements_total')!.get();
    expect(values.reduce((sum, { value }) => sum + value, 0)).toBe(ended[0].count);
  });

  it('killed in the middle, it continues where it stored its cursor', async () => {
    await writeGeneratedLog(db, events);
    const child = spawn(
      process.execPath,
      ['--import', './test/support/typescript.mjs', 'test/support/replay-process.ts', server.url],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const ended = once(child, 'close');
    for await (const line of createInterface({ input: child.stdout })) {
      if (Number(line) > 0) break;
    }
    child.kill('SIGKILL');
    await ended;
    const replays = replaysOn(db);
    // PostgreSQL may notice a moment later that the process is gone.
    let [interrupted] = (await replays.list({ limit: 10 })).items;
    while (interrupted?.state === 'running') [interrupted] = (await replays.list({ limit: 10 })).items;
    expect(interrupted).toMatchObject({ state: 'interrupted', into: 'projections', by: 'test', of: events });
    expect(interrupted!.done).toBeGreaterThan(0);
    expect(interrupted!.done).toBeLessThan(events);

    const running = await replays.begin('projections', {}, byTest);
    expect(running).toMatchObject({ replay: interrupted!.replay, resumed: true, done: interrupted!.done });
    expect(await running.finished).toMatchObject({ events });
    const built = await readModel(db);
    expect(built).toEqual(await foldedAtOnce());
    expect(await replays.one(running.replay)).toMatchObject({ state: 'done', done: events });
  });

  it('is refused while another runs, which is named with how far it is', async () => {
    await writeGeneratedLog(db, events);
    const [first, second] = [replaysOn(db), replaysOn(db)];
    const running = await first.begin('projections', {}, { ...byTest, by: 'alice' });
    await expect(second.begin('projections', {}, byTest)).rejects.toMatchObject({
      problem: {
        status: 409,
        detail: expect.stringMatching(
          new RegExp(`${running.replay}, requested by alice at 2.*, runs on .* and is at \\d+ of ${events}`),
        ),
      },
    });
    await running.finished;
    await (await second.begin('projections', {}, byTest)).finished;
  });

  it('leaves the live tables alone when stopped, then resumes on the next request, or starts over', async () => {
    await writeGeneratedLog(db, events);
    const replays = replaysOn(db);
    const running = await replays.begin('projections', {}, byTest);
    expect(await replays.wantStop(running.replay)).toBe(true);
    await expect(running.finished).rejects.toThrow('it was stopped; the same request resumes it');
    expect(await replays.one(running.replay)).toMatchObject({ state: 'stopped' });
    expect(await db.query('SELECT 1 FROM read_runs')).toEqual([]);

    const again = await replays.begin('projections', {}, byTest);
    expect(again).toMatchObject({ replay: running.replay, resumed: true });
    await replays.wantStop(again.replay);
    await again.finished.catch(() => {});
    const restarted = await replays.begin('projections', {}, { ...byTest, restart: true });
    expect(restarted).toMatchObject({ resumed: false, done: 0 });
    expect(await restarted.finished).toMatchObject({ events });
  });

  it('leaves out unreadable events, and lists them', async () => {
    await writeGeneratedLog(db, 1000);
    await db.query(`UPDATE events SET data = '{}' WHERE events.position = (${firstPlan})`);
    const { unreadable } = await build();
    expect(unreadable).toEqual({
      count: 1,
      first: [expect.stringMatching(/plan\.computed\.v1.* breaks its schema at data\./)],
    });
  });

  it.each([
    ["type = 'io.curtail.plan.replaced.v1'", 'io.curtail.plan.replaced.v1 in version 1'],
    ['schema_version = 9', 'io.curtail.plan.computed.v1 in version 9'],
  ])(
    'stops before what a newer release has written (%s), and keeps the old tables',
    async (change, named) => {
      await writeGeneratedLog(db, 1000);
      await build();
      const before = await db.query('SELECT * FROM read_runs ORDER BY 1, 2');
      await db.query(`UPDATE events SET ${change} WHERE events.position = (${firstPlan})`);
      await expect(build()).rejects.toThrow(named);
      expect(await db.query('SELECT * FROM read_runs ORDER BY 1, 2')).toEqual(before);
    },
  );

  it('starts over if the tables have become others since', async () => {
    await writeGeneratedLog(db, events);
    const replays = replaysOn(db);
    const running = await replays.begin('projections', {}, byTest);
    await replays.wantStop(running.replay);
    await running.finished.catch(() => {});
    await db.query('ALTER TABLE read_runs ADD COLUMN label text');
    expect(await (await replays.begin('projections', {}, byTest)).finished).toMatchObject({ events });
    expect(await db.query('SELECT label FROM read_runs LIMIT 1')).toEqual([{ label: null }]);
  });
});
