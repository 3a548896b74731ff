import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, readManifests } from '@curtail/event-store';
import { describe, expect, it } from '@jest/globals';
import type { Archived } from '../../apps/console/src/archive/archive-log.js';
import { curtail } from '../../apps/curtail/src/cli/test-terminal.js';
import { createMigratedDatabase } from '../support/database.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { writeGeneratedLog } from '../support/generated-log/write.js';
import { recordAt, withPastMonths } from '../support/past-months.js';
import { byTest, replaysOn } from '../support/replays.js';

describe('archives of the log on the command line', () => {
  it('are verified, replayed without a service, and refused once a file was changed', async () => {
    const server = await createMigratedDatabase();
    const db = await openDatabase(server.url);
    const folder = await mkdtemp(join(tmpdir(), 'curtail-archive-'));
    await withPastMonths(db, 1);
    await recordAt(db, "date_trunc('month', now(), 'UTC') - interval '3 days'");
    await writeGeneratedLog(db, 2000);
    const [{ before }] = await db.query("SELECT date_trunc('month', now(), 'UTC') AS before");
    const running = await replaysOn(db, null, { folder, afterDays: 0 }).begin(
      'archive',
      { before: before.toISOString() },
      byTest,
    );
    const { events, partitions } = (await running.finished) as Archived;
    const plans = partitions.reduce((sum, partition) => sum + partition.plans, 0);
    await db.destroy();
    await server.drop();

    const verified = await curtail(['log', 'verify', folder, '-o', 'json']);
    expect([verified.status, JSON.parse(verified.stdout).events]).toEqual([0, events]);
    const replayed = await curtail(['replay', '--archive', folder, '-o', 'json']);
    expect(JSON.parse(replayed.stdout)).toEqual({ plans, same: plans, different: [], notKept: 0 });
    expect(plans).toBeGreaterThan(0);

    const changed = (await readManifests(folder)).find((manifest) => manifest.events > 0)!;
    await appendFile(join(folder, changed.file), 'x');
    for (const words of [
      ['log', 'verify', folder],
      ['replay', '--archive', folder],
    ]) {
      const { status, stderr } = await curtail(words);
      expect(status).toBe(2);
      expect(stderr).toContain(`${changed.file}: has the digest`);
    }
    await rm(folder, { recursive: true });
    expect((await curtail(['log', 'verify', tmpdir()])).stderr).toContain('holds no archive of the log');
  });

  it('are asked for of a console, which says what stands in the way', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'curtail-archive-'));
    const system = await EmbeddedSystem.start({ archiveDir: folder, archiveAfterDays: 0 });
    const call = (...words: string[]) => curtail(['--server', system.url, 'log', 'archive', ...words]);
    expect((await call('--before', '2020-01-01')).stderr).toContain('No partition of the log ends before');
    expect((await call('--before', '2020')).stderr).toContain('write a day such as');
    expect((await call('--before', '2020-01-01', '--to', '../elsewhere')).stderr).toContain(
      'give a folder below CURTAIL_ARCHIVE_DIR',
    );
    const { items } = (await system.request('GET', '/v1/log/partitions')).body as { items: unknown[] };
    expect(items).toHaveLength(3);
    await system.stop();
    await rm(folder, { recursive: true });
  });
});
