import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { type EventName } from '#contracts';
import type { Archived } from '#contracts/api';
import { catalog, upcasters } from '#contracts/events';
import { openDatabase, readManifests } from '#event-store';
import { curtail } from '../../apps/curtail/testing/test-terminal.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { writeGeneratedLog } from '../support/generated-log/write.js';
import { recordAt, withPastMonths } from '../support/past-months.js';
import { byTest, replaysOn } from '../support/replays.js';

describe('files of the log on the command line', () => {
  let server: TestDatabase;
  let db: DataSource;
  let folder: string;
  beforeEach(async () => {
    server = await createMigratedDatabase();
    db = await openDatabase(server.url);
    folder = await mkdtemp(join(tmpdir(), 'curtail-archive-'));
    await withPastMonths(db, 1);
    await recordAt(db, "date_trunc('month', now(), 'UTC') - interval '3 days'");
    await writeGeneratedLog(db, 2000);
  });
  afterEach(async () => {
    await db.destroy();
    await server.drop();
    await rm(folder, { recursive: true });
  });

  const archive = async () => {
    const [{ before }] = await db.query("SELECT date_trunc('month', now(), 'UTC') AS before");
    const running = await replaysOn(db, null, { folder, afterDays: 0 }).begin(
      'archive',
      { before: before.toISOString() },
      byTest,
    );
    const { events, partitions } = (await running.finished) as Archived;
    return { events, plans: partitions.reduce((sum, partition) => sum + partition.plans, 0) };
  };

  it('are verified, replayed without a service, and refused once one was changed', async () => {
    const { events, plans } = await archive();

    const verified = await curtail(['log', 'verify', folder, '-o', 'json']);
    expect([verified.status, JSON.parse(verified.stdout).events]).toEqual([0, events]);
    const replayed = await curtail(['replay', '--archive', folder, '-o', 'json']);
    expect(JSON.parse(replayed.stdout)).toEqual({ plans, same: plans, different: [], notKept: 0 });
    expect(plans).toBeGreaterThan(0);

    const changed = (await readManifests(folder)).find((manifest) => manifest.events > 0)!;
    await appendFile(join(folder, changed.file), 'x');
    const found = await curtail(['log', 'verify', folder, '-o', 'json']);
    expect(found.status).toBe(1);
    expect(JSON.parse(found.stdout).faults).toContainEqual(
      expect.objectContaining({
        kind: 'changed',
        message: expect.stringContaining(`${changed.file}: has the digest`),
      }),
    );
    const refused = await curtail(['replay', '--archive', folder]);
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain(`${changed.file}: has the digest`);
    expect((await curtail(['log', 'verify', tmpdir()])).stderr).toContain('holds no archive of the log');
    expect((await curtail(['log', 'verify', '/no/such'])).stderr).toContain(
      '/no/such is not a folder: give one',
    );
  });

  it('are replayed as a service replays the log: old events are upcast, damaged inputs named', async () => {
    const plans = await db.query<{ id: string; data: Record<string, string> }[]>(
      'SELECT id, data FROM events WHERE type = $1 ORDER BY position',
      [catalog.PlanComputed.type],
    );
    const [old, ...others] = plans;
    await db.query(
      `UPDATE events SET data = (data::jsonb - 'planDigest' || jsonb_build_object('digest', data->'planDigest'))::json
       WHERE id = $1`,
      [old!.id],
    );
    const { enforcement, queue, planDigest, snapshotDigest } = others.find(
      ({ data }) => data.snapshotDigest !== old!.data.snapshotDigest,
    )!.data;
    const inputs = (which: string) => plans.filter(({ data }) => data.snapshotDigest === which).length;
    await db.query(
      `UPDATE snapshots SET body = other.body FROM snapshots other
       WHERE snapshots.digest = $1 AND other.digest = $2`,
      [snapshotDigest, old!.data.snapshotDigest],
    );
    await archive();

    const steps = upcasters as { [N in EventName]?: typeof upcasters.PlanFailed };
    steps.PlanComputed = [({ digest, ...data }) => ({ planDigest: digest, ...data })];
    try {
      const replayed = JSON.parse((await curtail(['replay', '--archive', folder, '-o', 'json'])).stdout);
      expect(replayed).toMatchObject({
        plans: plans.length,
        same: plans.length - inputs(snapshotDigest!),
        notKept: 0,
      });
      expect(replayed.different).toHaveLength(inputs(snapshotDigest!));
      expect(replayed.different[0]).toEqual({
        enforcement,
        queue,
        recorded: planDigest,
        replayed: null,
        because: expect.stringContaining(`snapshot ${snapshotDigest} is not the recorded one`),
      });
    } finally {
      delete steps.PlanComputed;
    }
  });
});

describe('archives of the log', () => {
  it('are requested from a console, which states what prevents them', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'curtail-archive-'));
    const system = await EmbeddedSystem.start({ archiveDir: folder, archiveAfterDays: 0 });
    const call = (...words: string[]) => curtail(['--server', system.url, 'log', 'archive', ...words]);
    expect((await call('--before', '2020-01-01')).stderr).toContain('No partition of the log ends before');
    expect((await call('--before', '2020')).stderr).toContain('Write a day such as');
    expect((await call('--before', '2020-01-01', '--to', '../elsewhere')).stderr).toContain(
      'give a folder below CURTAIL_ARCHIVE_DIR',
    );
    const { items } = (await system.request('GET', '/v1/log/partitions')).body as { items: unknown[] };
    expect(items).toHaveLength(3);
    await system.stop();
    await rm(folder, { recursive: true });
  });
});
