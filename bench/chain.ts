import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { layBlocks, migrateDatabase, openDatabase, verifyLog } from '#event-store';
import { migrations } from '#migrations';
import { startEmbeddedPostgres } from '#platform';
import { writeGeneratedLog } from '../test/support/generated-log/write.js';
import { timed } from './measure.js';
import { cpuSeconds } from './processes.js';
import { count, report } from './report.js';
import { withFolder } from './temporary-folder.js';

const EVENTS = Number(process.env.CURTAIL_BENCH_EVENTS ?? 200_000);

/** Measures the hash chains: how long they take for each event, laid and compared. */
export async function benchChain(): Promise<void> {
  await withFolder(async (folder) => {
    const server = await startEmbeddedPostgres({ dataDir: folder });
    await migrateDatabase(server.url, migrations);
    const db = await openDatabase(server.url);
    try {
      await writeGeneratedLog(db, EVENTS);
      await db.query('VACUUM ANALYZE events');
      const databasePid = Number(
        (await readFile(join(folder, 'cluster', 'postmaster.pid'), 'utf8')).split('\n')[0],
      );
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

const perEvent = (ms: number) => `${((ms * 1000) / EVENTS).toFixed(1)} µs an event`;
