import pg from 'pg';
import type { DataSource } from 'typeorm';
import type { ReplayRequest } from '#contracts/api';
import { beginning, migrateDatabase, openDatabase } from '#event-store';
import { migrations } from '#migrations';
import { startEmbeddedPostgres } from '#platform';
import { countPlans } from '../apps/console/src/replay/remake/replanned.js';
import type { Replays } from '../apps/console/src/replay/replays.js';
import type { ReplayTarget } from '../apps/console/src/replay/work/replay-request.js';
import { writeGeneratedLog } from '../test/support/generated-log/write.js';
import { replaysOn } from '../test/support/replays.js';
import { timed } from './measure.js';
import { count, type Row, report } from './report.js';
import { withFolder } from './temporary-folder.js';

const EVENTS = Number(process.env.CURTAIL_BENCH_EVENTS ?? 1_000_000);
const ROUNDS = 3;
export const PAGE = 5000;
const LEAST_RATIO = 0.5;

/**
 * Measures the reading again of a long log, beside a bare cursor over the same rows with the bare client: all columns, in pages
 * of the same size. Both take turns, and the best of the rounds counts: what others do on the machine slows either.
 */
export async function benchReplay(): Promise<void> {
  await withFolder(async (folder) => {
    const server = await startEmbeddedPostgres({ dataDir: folder });
    await migrateDatabase(server.url, migrations);
    const db = await openDatabase(server.url);
    try {
      report(`Replay over ${count(EVENTS)} events, pages of ${count(PAGE)}`, await rows(server.url, db));
    } finally {
      await db.destroy();
      await server.stop();
    }
  });
}

async function rows(url: string, db: DataSource): Promise<Row[]> {
  const found = await projectionsRows(url, db, EVENTS);
  const replays = replaysOn(db);
  const plans = await countPlans(db, {});
  found.push(planRow('into digest', plans, await timed(() => run(replays, 'digest'))));
  const settings = { fit: 'within' };
  found.push(planRow('into shadow', plans, await timed(() => run(replays, 'shadow', { settings }))));
  const { rss } = process.memoryUsage();
  found.push({ what: '  memory of the process at the end', measured: `${Math.round(rss / 2 ** 20)} MB` });
  return found;
}

/**
 * Writes a log of so many events, unless there is one, and measures the reading of it into projections.
 *
 * @param url the database that `db` is connected to, with its tables.
 */
export async function projectionsRows(url: string, db: DataSource, events: number): Promise<Row[]> {
  const found: Row[] = [];
  const there = await db.query('SELECT count(*)::int AS count FROM events');
  if (there[0].count === 0) {
    const writing = await timed(() => writeGeneratedLog(db, events));
    found.push({ what: 'the log written, for comparison', measured: perSecond(events, writing) });
  }
  await db.query('VACUUM ANALYZE events');
  const replays = replaysOn(db);
  let [bare, ours] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round++) {
    bare = Math.min(bare, await timed(() => readBare(url)));
    ours = Math.min(ours, await timed(() => run(replays, 'projections')));
  }
  const reached = bare / ours;
  found.push({
    what: 'into projections, swap included',
    measured: perSecond(events, ours),
    beside: perSecond(events, bare),
    ratio: reached.toFixed(2),
    target: `>= ${LEAST_RATIO} of a bare cursor`,
    met: reached >= LEAST_RATIO,
  });
  return found;
}

async function run(replays: Replays, into: ReplayTarget, request: ReplayRequest = {}): Promise<void> {
  await (await replays.begin(into, request, { by: 'bench', restart: true })).finished;
}

async function readBare(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('BEGIN');
  await client.query(
    `DECLARE bare CURSOR FOR
     SELECT transaction_id::text AS "transactionId", position::text, stream, version, id, type, topic, partition, key, time, data
     FROM events WHERE (transaction_id, position) > ('${beginning.transactionId}', ${beginning.position})
     ORDER BY events.transaction_id, events.position`,
  );
  for (let read = PAGE; read > 0; ) read = (await client.query(`FETCH ${PAGE} FROM bare`)).rows.length;
  await client.end();
}

const planRow = (what: string, plans: number, ms: number): Row => ({
  what,
  measured: `${count(plans)} plans in ${(ms / 1000).toFixed(1)} s, ${count(Math.round((plans / ms) * 1000))}/s`,
});

function perSecond(events: number, ms: number): string {
  return `${(ms / 1000).toFixed(1)} s, ${count(Math.round((events / ms) * 1000))}/s`;
}
