import { appendFile, chmod, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type { Archived, DigestReplay, ReplayRequest } from '#contracts/api';
import {
  type ArchiveManifest,
  append,
  beginning,
  DamagedArchive,
  LogWithArchives,
  openDatabase,
  readManifests,
  readPage,
  readStream,
  type StoredEvent,
  StreamConflict,
  streamVersion,
  verifyArchive,
} from '#event-store';
import { createMigratedDatabase, type TestDatabase } from '../../../../../test/support/database.js';
import { marker, markers } from '../../../../../test/support/events.js';
import { writeGeneratedLog } from '../../../../../test/support/generated-log/write.js';
import { recordAt, withPastMonths } from '../../../../../test/support/past-months.js';
import { byTest, readModel, replaysOn } from '../../../../../test/support/replays.js';
import { archivedUntil, whereArchived } from '../../archive/where-archived.js';
import type { ReplayTarget } from '../work/replay-request.js';
import { ArchiveLog } from './archive-log.js';

const events = 6000;

let server: TestDatabase;
let db: DataSource;
let folder: string;
/** The beginning of this month: everything recorded earlier can be archived. */
let before: string;
beforeEach(async () => {
  server = await createMigratedDatabase();
  db = await openDatabase(server.url);
  folder = await mkdtemp(join(tmpdir(), 'curtail-archive-'));
  await withPastMonths(db, 2);
  const [row] = await db.query("SELECT date_trunc('month', now(), 'UTC') AS before");
  before = row.before.toISOString();
  // Over the last three months, in the order of the positions.
  await db.query('CREATE SEQUENCE moments');
  await recordAt(
    db,
    `date_trunc('month', now(), 'UTC') - interval '2 months 5 days' + nextval('moments') * interval '80 days' / ${events}`,
  );
  await writeGeneratedLog(db, events);
});
afterEach(async () => {
  await db.destroy();
  await server.drop();
  await rm(folder, { recursive: true });
});

const place = () => ({ folder, afterDays: 0 });

async function run<T>(into: ReplayTarget, request: ReplayRequest = {}): Promise<T> {
  const running = await replaysOn(db, null, place()).begin(into, request, {
    ...byTest,
    restart: into !== 'archive',
  });
  return (await running.finished) as T;
}
const archive = () => run<Archived>('archive', { before });

const tables = async (): Promise<string[]> => {
  const rows = await db.query<{ name: string }[]>(
    'SELECT DISTINCT tableoid::regclass::text AS name FROM events ORDER BY 1',
  );
  return rows.map(({ name }) => name);
};
const whole = async (): Promise<StoredEvent[]> =>
  (await readPage(db, beginning, { limit: 2 * events, maxBytes: Number.MAX_SAFE_INTEGER })).events;

async function archivedPositions(): Promise<string[]> {
  const positions: string[] = [];
  for (const { file } of await readManifests(folder)) {
    const lines = gunzipSync(await readFile(join(folder, file)))
      .toString()
      .trim()
      .split('\n');
    for (const line of lines.filter(Boolean)) {
      const { event } = JSON.parse(line);
      if (event) positions.push(String(event.position));
    }
  }
  return positions;
}

describe('an archive of the log', () => {
  it('takes months out of the database, and replays from its files come to the same', async () => {
    // Recorded in a month that is archived, but positioned behind events of a month that stays.
    const [straggler] = await db
      .query(
        `UPDATE events SET transaction_id = (SELECT max(transaction_id) FROM events)
       WHERE position = (SELECT max(position) FROM events WHERE recorded_at < $1) RETURNING position::text`,
        [before],
      )
      .then(([rows]) => rows);
    const log = await whole();
    const digests = await run<DigestReplay>('digest');
    expect(digests.different).toEqual([]);
    await run('projections');
    const model = await readModel(db);
    const archived = await archive();
    expect(archived.partitions).toHaveLength(3);
    expect(
      (await tables()).filter((name) => archived.partitions.some(({ partition }) => partition === name)),
    ).toEqual([]);
    const inFiles = await archivedPositions();
    expect(inFiles.length).toBe(archived.events);
    expect(inFiles.includes(straggler.position)).toBe(false);
    const left = (await whole()).map(({ position }) => position);
    expect(left.includes(straggler.position)).toBe(true);
    expect(left.length).toBeLessThan(log.length / 2);
    expect(new Set([...inFiles, ...left]).size).toBe(log.length);
    for (const manifest of await readManifests(folder)) await verifyArchive(folder, manifest);

    // The database no longer has the input of any plan.
    await db.query('DELETE FROM snapshots WHERE digest IN (SELECT digest FROM snapshots)');
    const again = await run<DigestReplay>('digest');
    expect(again).toMatchObject({ different: [], plans: digests.plans });
    expect(again.same).toBe(archived.partitions.reduce((sum, { plans }) => sum + plans, 0));
    await db.query('TRUNCATE read_runs, read_victims, read_notices');
    await run('projections');
    expect(await readModel(db)).toEqual(model);
  });

  it('hides nothing from a reader that opened the log before months were taken out', async () => {
    const log = (await whole()).map(({ id }) => id);
    const reader = await LogWithArchives.open(db, folder);
    const read: string[] = [];
    let page = await reader.page(beginning, {}, 100);
    for (; ; page = await reader.page(page.next, {}, 1000)) {
      if (read.length === 0) expect((await archive()).partitions).toHaveLength(3);
      read.push(...page.events.map(({ id }) => id));
      if (page.atEnd) break;
    }
    expect(read).toEqual(log);
  });

  it('leaves every stream that continues as the next append expects it', async () => {
    await db.query('TRUNCATE events');
    await recordAt(db, "date_trunc('month', now(), 'UTC') - interval '40 days'");
    await db.transaction((tx) =>
      append(tx, [
        markers('control-p', 0, marker('1'), marker('2')),
        markers('execution-open', 0, marker('1'), marker('2')),
        markers('execution-over', 0, marker('1'), marker('2')),
      ]),
    );
    await db.query(
      `INSERT INTO clocks (partition, queue, version, state, running_enforcement) VALUES ('p', 'root.q', 1, '{}', 'open')`,
    );
    const later = await db.query(
      `INSERT INTO subscriptions SELECT 'all', max(transaction_id), max(position) FROM events RETURNING name`,
    );
    expect(later).toHaveLength(1);
    await recordAt(db);
    await archive();
    expect((await readStream(db, 'control-p')).map(({ version }) => version)).toEqual([2]);
    expect((await readStream(db, 'execution-open')).map(({ version }) => version)).toEqual([1, 2]);
    expect(await readStream(db, 'execution-over')).toEqual([]);
    expect(await streamVersion(db, 'control-p')).toBe(2);
    await db.transaction((tx) => append(tx, [markers('control-p', 2, marker('3'))]));
    for (const version of [0, 2]) {
      await expect(
        db.transaction((tx) => append(tx, [markers('control-p', version, marker('x'))])),
      ).rejects.toThrow(StreamConflict);
    }
    await expect(
      db.transaction((tx) => append(tx, [markers('execution-over', 0, marker('x'))])),
    ).rejects.toThrow(StreamConflict);
    expect(await whereArchived(db, 'over')).toEqual({
      partition: expect.stringMatching(/^events_\d{4}_\d\d$/),
      file: expect.stringMatching(/^events_\d{4}_\d\d\.jsonl\.gz$/),
    });
    expect(await whereArchived(db, 'open')).toBeUndefined();
    expect(await archivedUntil(db)).toBe(before);
  });

  it('can be queried with SQL as in the guide', async () => {
    const [{ types }] = await db.query(
      'SELECT json_object_agg(type, count) AS types FROM (SELECT type, count(*) FROM events WHERE recorded_at < $1 GROUP BY 1) t',
      [before],
    );
    await archive();
    const guide = await readFile(
      new URL('../../../../../docs/how-to/keep-and-archive.md', import.meta.url),
      'utf8',
    );
    const [, format] = /COPY lines FROM STDIN (\(FORMAT csv.*?\))"$/m.exec(guide) ?? [];
    const [, table] = /psql old -c '(CREATE TABLE lines [^']*)'/.exec(guide) ?? [];
    const [, query] = /psql old -c "(SELECT line [^"]*)"/.exec(guide) ?? [];
    await db.query(table!);
    // The server may run as another user.
    await chmod(folder, 0o755);
    for (const { file } of await readManifests(folder)) {
      const lines = gunzipSync(await readFile(join(folder, file)))
        .toString()
        .split('\n');
      const path = join(folder, 'lines');
      await writeFile(
        path,
        lines
          .filter((line) => line.startsWith('{"event"'))
          .map((line) => `${line}\n`)
          .join(''),
      );
      await db.query(`COPY lines FROM '${path}' ${format}`);
    }
    const found = await db.query<Record<string, string>[]>(query!);
    expect(Object.fromEntries(found.map((row) => [row['?column?'], Number(row.count)]))).toEqual(types);
  });

  it('is refused while a reader needs the months, and names the reader and the remedy', async () => {
    await db.query(`INSERT INTO subscriptions VALUES ('slow', '1', 1)`);
    await db.query(
      `INSERT INTO read_victims_missing SELECT 'e-large', 0, transaction_id, position FROM events_first
       ORDER BY transaction_id DESC, position DESC LIMIT 1`,
    );
    await db.query(`INSERT INTO dead_letters (consumer, event_id, topic, key, type, reason)
      SELECT 'timer', id, topic, key, type, 'why' FROM events_first LIMIT 1`);
    const { problem } = await new ArchiveLog(db, place()).archivable(before).catch((error) => error);
    expect(problem).toMatchObject({ status: 409, type: 'urn:curtail:problem:still-needed' });
    expect(problem.detail).toContain('events_first: the consumer slow has not read it');
    expect(problem.detail).toContain('the victims of run e-large are still being listed');
    expect(problem.detail).toContain('1 of its events is a dead letter of timer');
    expect(problem.remedy).toContain('curtail_consumer_lag_events{consumer="slow"}');
    await expect(run('archive', { before })).rejects.toThrow();
    expect(await whole()).toHaveLength(events);

    const early = await new ArchiveLog(db, place())
      .archivable('2000-01-01T00:00:00Z')
      .catch((error) => error);
    expect(early.problem).toMatchObject({ status: 409, type: 'urn:curtail:problem:nothing-to-archive' });
    const young = await new ArchiveLog(db, { folder, afterDays: 400 })
      .archivable(before)
      .catch((error) => error);
    expect(young.problem.remedy).toContain('archived 400 days after its end');
  });

  it('loses nothing if the process ends between any two of its steps', async () => {
    const log = await whole();
    const all = new Set(log.map(({ position }) => position));
    const query = db.query.bind(db);
    const manager = Object.getPrototypeOf(db.manager);
    const transaction = manager.transaction;
    let crashes = 0;
    for (let crashAt = 1; ; crashAt++) {
      let steps = 0;
      const crash = () => {
        if (++steps === crashAt) throw new Error('the process ended');
      };
      // Stops before each statement that changes the log or its list.
      db.query = ((text: string, ...rest: unknown[]) => {
        if (/^\s*(UPDATE log_partitions|WITH page AS)/.test(text)) crash();
        return (query as (...words: unknown[]) => unknown)(text, ...rest);
      }) as typeof db.query;
      const spy = jest.spyOn(db, 'transaction').mockImplementation(((work: never) => {
        crash();
        return transaction.call(db.manager, work);
      }) as never);
      const outcome = await run<Archived>('archive', { before }).catch((error: Error) => error);
      db.query = query;
      spy.mockRestore();
      const there = new Set([...(await whole()).map(({ position }) => position)]);
      const manifests = await readManifests(folder);
      for (const manifest of manifests) await verifyArchive(folder, manifest);
      for (const position of await archivedPositions()) there.add(position);
      expect([...all].filter((position) => !there.has(position))).toEqual([]);
      if (!(outcome instanceof Error)) break;
      expect(outcome.message).toBe('the process ended');
      crashes++;
    }
    expect(crashes).toBeGreaterThan(4);
    expect((await run<DigestReplay>('digest')).different).toEqual([]);
  });

  it('fails when the disk is full, loses nothing, and resumes when there is room', async () => {
    await symlink('/dev/full', join(folder, 'events_first.jsonl.gz.part'));
    await expect(archive()).rejects.toThrow('ENOSPC');
    expect(await whole()).toHaveLength(events);
    expect((await archive()).partitions).toHaveLength(3);
  });

  it('is neither read nor resumed after its file was changed', async () => {
    const { partitions } = await archive();
    const manifest = partitions.find(({ events: count }) => count > 0) as ArchiveManifest;
    const path = join(folder, manifest.file);
    const content = await readFile(path);
    await appendFile(path, 'x');
    await expect(verifyArchive(folder, manifest)).rejects.toThrow(DamagedArchive);
    await expect(run('digest')).rejects.toMatchObject({
      problem: { status: 409, detail: expect.stringContaining('has the digest') },
    });
    // A manifest that matches the changed file differs from the recorded one.
    await writeFile(path, content);
    const named = join(folder, `${manifest.partition}.json`);
    const text = await readFile(named, 'utf8');
    await writeFile(named, text.replace(manifest.sha256, 'f'.repeat(64)));
    await expect(run('digest')).rejects.toMatchObject({
      problem: { detail: expect.stringContaining('is not the archive that is on record') },
    });
    await writeFile(named, text);
    await rename(path, `${path}.away`);
    await expect(run('projections')).rejects.toMatchObject({ problem: { status: 409 } });
  });
});
