import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { catalog, topics } from '#contracts/events';
import { layBlocks, migrateDatabase, openDatabase, verifyLog } from '#event-store';
import { migrations } from '#migrations';
import { startEmbeddedPostgres } from '#platform';
import { writeGeneratedLog } from '../test/support/generated-log/write.js';
import { timed } from './measure.js';
import { cpuSeconds } from './processes.js';
import { count, type Row, report } from './report.js';
import { startApplication } from './service/application.js';
import { changedQuotas, quotas } from './service/configurations.js';
import { submit } from './service/load.js';
import { watchLog } from './service/watch.js';
import { withFolder } from './temporary-folder.js';

const EVENTS = Number(process.env.CURTAIL_BENCH_EVENTS ?? 200_000);

/** What the chains may cost of what recording the events costs. */
const mostOfIngest = 0.05;
/** Configurations that are measured, each of which lowers every quota. */
const configurations = 4;

/** Measures the hash chains: how long they take for each event, laid and compared, and which part of ingest that is. */
export async function benchChain(): Promise<void> {
  await layAndCompare();
  const share = await withFolder(shareOfIngest);
  report(
    `Hash chains beside the configurations that they are over, each with ${count(changedQuotas)} quotas`,
    share,
  );
}

async function layAndCompare(): Promise<void> {
  await withFolder(async (folder) => {
    const server = await startEmbeddedPostgres({ dataDir: folder });
    await migrateDatabase(server.url, migrations);
    const db = await openDatabase(server.url);
    try {
      await writeGeneratedLog(db, EVENTS);
      await db.query('VACUUM ANALYZE events');
      const databasePid = await databaseIn(folder);
      const before = await cpuSeconds(process.pid, databasePid);
      const laying = await timed(() => lay(db));
      const after = await cpuSeconds(process.pid, databasePid);
      const comparing = await timed(() => compare(db));
      const [{ bytes }] = await db.query("SELECT pg_total_relation_size('log_blocks')::float8 AS bytes");
      report(`Hash chains over ${count(EVENTS)} events`, [
        { what: 'laid', measured: perEvent(laying) },
        ...(before && after
          ? [
              {
                what: '  time of a core: process',
                measured: perEvent((after.process - before.process) * 1000),
              },
              {
                what: '  time of a core: database',
                measured: perEvent((after.database - before.database) * 1000),
              },
            ]
          : []),
        { what: 'compared', measured: perEvent(comparing) },
        { what: 'stored', measured: `${Math.round(bytes / EVENTS)} bytes an event` },
      ]);
    } finally {
      await db.destroy();
      await server.stop();
    }
  });
}

/**
 * The time of a core that an application takes to answer configurations, set the clocks and lay the chains; and, once it has ended, the time to
 * lay the same chains again.
 */
async function shareOfIngest(folder: string): Promise<Row[]> {
  const application = await startApplication(folder);
  const { databaseUrl, pid, databasePid } = application;
  const watch = await watchLog(databaseUrl, [topics.enforcement]);
  const db = await openDatabase(databaseUrl, { poolSize: 1 });
  let ingest: number | undefined;
  let [first, events] = [0, 0];
  try {
    await submit(application, quotas(changedQuotas, 20));
    await watch.until(catalog.EnforcementScheduled.type, changedQuotas, 120_000);
    first = await untilLaid(db);
    const before = await cpuSeconds(pid, databasePid);
    for (let round = 1; round <= configurations; round++) {
      await submit(application, quotas(changedQuotas, 20 - round));
      await watch.until(catalog.EnforcementRescheduled.type, round * changedQuotas, 120_000);
    }
    events = await untilLaid(db);
    const after = await cpuSeconds(pid, databasePid);
    ingest = before && after && after.process - before.process + after.database - before.database;
  } finally {
    await db.destroy();
    await watch.stop();
    await application.stop();
  }
  if (ingest === undefined) return [{ what: 'not measured: this system has no /proc', measured: '-' }];
  const laying = (await layAgain(folder)) * ((events - first) / events);
  const share = laying / (ingest - laying);
  return [
    { what: 'time of a core: recorded, clocks set, chains laid', measured: ofEach(ingest, events - first) },
    {
      what: 'the chains, of all else',
      measured: `${(share * 100).toFixed(1)} %`,
      target: `<= ${mostOfIngest * 100} %`,
      met: share <= mostOfIngest,
    },
  ];
}

/** @returns how many events the log has. */
async function untilLaid(db: DataSource): Promise<number> {
  for (;;) {
    const [{ events, behind }] = (await db.query(
      `SELECT (SELECT count(*)::int FROM events) AS events, EXISTS (
         SELECT FROM events e, log_chain c WHERE (e.transaction_id, e.position) > (c.transaction_id, c.position)) AS behind`,
    )) as [{ events: number; behind: boolean }];
    if (!behind) return events;
    await delay(500);
  }
}

/** @returns the seconds of a core. */
async function layAgain(folder: string): Promise<number> {
  const server = await startEmbeddedPostgres({ dataDir: folder });
  const db = await openDatabase(server.url);
  try {
    await db.query('TRUNCATE log_blocks');
    await db.query("UPDATE log_chain SET pass = 0, transaction_id = '0', position = 0, lease_until = NULL");
    const databasePid = await databaseIn(folder);
    const before = await cpuSeconds(process.pid, databasePid);
    await lay(db);
    const after = await cpuSeconds(process.pid, databasePid);
    return after!.process - before!.process + after!.database - before!.database;
  } finally {
    await db.destroy();
    await server.stop();
  }
}

const databaseIn = async (folder: string): Promise<number> =>
  Number((await readFile(join(folder, 'cluster', 'postmaster.pid'), 'utf8')).split('\n')[0]);

async function lay(db: DataSource): Promise<void> {
  const by = randomUUID();
  while ((await layBlocks(db, by)) !== 0);
}

async function compare(db: DataSource): Promise<void> {
  for (let pass = 0; ; ) {
    const page = await verifyLog(db, pass);
    if (page.faults.length > 0) throw new Error(page.faults[0]!.message);
    if (page.atEnd) return;
    pass = page.pass;
  }
}

const ofEach = (seconds: number, events: number) => `${((seconds * 1e6) / events).toFixed(1)} µs an event`;
const perEvent = (ms: number) => ofEach(ms / 1000, EVENTS);
