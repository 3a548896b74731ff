import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { catalog } from '#contracts/events';
import {
  append,
  beginning,
  known,
  NewerEvent,
  readArchive,
  readEventsById,
  readKeysOfStream,
  readOutgoing,
  readOutgoingRange,
  readPage,
  readRange,
  readStream,
  readStreams,
  readWithoutData,
  type StoredEvent,
  UnreadableEvent,
  verifyArchive,
  writeArchive,
} from '#event-store';
import { marker, markers } from '../../../test/support/events.js';
import { longPlan } from '../../../test/support/long-plan.js';
import { withMigratedDatabase } from '../../../test/support/migrated-database.js';

describe('a long plan, stored packed', () => {
  const plans = [longPlan('e-1'), longPlan('e-2', 30_000)];
  const [one, two] = plans.map(({ events }) => events[0]!.event.data);
  const short = { partition: 'default', queue: 'root.a', by: 'beside' };
  const all = [one, short, two];
  const texts = all.map((data) => JSON.stringify(data));
  let db: DataSource;
  withMigratedDatabase(async (opened) => {
    db = opened;
    await db.transaction((tx) => append(tx, [plans[0]!, markers('short', 0, marker('beside')), plans[1]!]));
  });
  const raw = () =>
    db.query(
      `SELECT id, type, data, outline, octet_length(packed) AS bytes, schema_version AS "schemaVersion" FROM events ORDER BY position`,
    );

  it('has no data, and its version is 1,000 higher', async () => {
    const rows = await raw();
    expect(rows.map(({ data }: StoredEvent) => data)).toEqual([null, short, null]);
    expect(rows[0].outline).toMatchObject({ enforcement: 'e-1', settings: { minimumRunSeconds: 5 } });
    expect(rows[0].outline).not.toHaveProperty('plan');
    expect(rows[2].bytes).toBeLessThan(texts[2]!.length / 5);
    expect(() => known(rows[0])).toThrow(NewerEvent);
  });

  it.each<[string, () => Promise<{ data: unknown; schemaVersion?: number }[]>]>([
    [
      'a stream',
      async () => [
        ...(await readStream(db, 'plan-e-1')),
        ...(await readStream(db, 'short')),
        ...(await readStream(db, 'plan-e-2')),
      ],
    ],
    [
      'streams',
      async () =>
        (
          await readStreams(
            db,
            ['plan-e-1', 'short', 'plan-e-2'].map((stream) => ({ stream, after: 0 })),
          )
        ).flat(),
    ],
    [
      'keys of streams',
      async () => {
        const types = [catalog.PlanComputed.type, catalog.KillSwitchCleared.type];
        const of = ['plan-e-1', 'short', 'plan-e-2'].map((stream) =>
          readKeysOfStream(db, { partition: 'default', stream }, [{ key: 'root.a', after: 0 }], types),
        );
        return (await Promise.all(of)).flat();
      },
    ],
    ['a page', async () => (await readPage(db, beginning, { limit: 10 })).events],
    ['a part of the log', async () => (await readRange(db, beginning, {}, 10)).events],
    [
      'a part of the log by time',
      async () => (await readRange(db, beginning, { from: '2020-01-01T00:00:00Z' }, 10)).events,
    ],
    [
      'ids',
      async () => {
        const ids: string[] = (await raw()).map(({ id }: StoredEvent) => id);
        const found = await readEventsById(db, ids, new Set(ids));
        return ids.map((id) => found.get(id)!);
      },
    ],
  ])('is read by %s', async (_, read) => {
    const events = await read();
    expect(events.map(({ data }) => JSON.stringify(data))).toEqual(texts);
    expect(events.map(({ schemaVersion }) => schemaVersion)).toEqual([1, 1, 1]);
  });

  it('is sent as the text that was appended', async () => {
    const { events } = await readOutgoing(db, beginning, { limit: 10 });
    expect(events.map(({ data, schemaVersion }) => [data, schemaVersion])).toEqual(
      texts.map((text) => [text, 1]),
    );
    const range = await readOutgoingRange(db, beginning, {}, 10);
    expect(range.events.map(({ data }) => data)).toEqual(texts);
  });

  it('is not unpacked for readers that want no data', async () => {
    const { events } = await readWithoutData(db, beginning, 10);
    expect(events.map(({ data, schemaVersion }) => [data, schemaVersion])).toEqual(all.map(() => [null, 1]));
    const ids = events.map(({ id }) => id);
    const found = await readEventsById(db, ids, new Set());
    expect(ids.map((id) => found.get(id)!.data)).toEqual(all.map(() => null));
  });

  it('is in an archive like any other event', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'curtail-packed-'));
    try {
      const { next: through } = await readPage(db, beginning, { limit: 10 });
      const part = {
        partition: 'events_first',
        from: null,
        to: '2026-12-01T00:00:00Z',
        after: beginning,
        through,
      };
      const manifest = await writeArchive(db, folder, part, { now: new Date(), onProgress: () => {} });
      expect(manifest).toMatchObject({ events: 3, plans: 2, plansWithoutInput: 2 });
      await verifyArchive(folder, manifest);
      const read: StoredEvent[] = [];
      for await (const { event } of readArchive(folder, manifest)) read.push(event);
      expect(read.map(({ data }) => JSON.stringify(data))).toEqual(texts);
      expect(read[0]).toEqual({
        ...(await readPage(db, beginning, { limit: 1 })).events[0],
        source: undefined,
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  // Last: it damages what the others read.
  it('is unreadable where its data are damaged, and holds back no other event', async () => {
    await db.query(
      `UPDATE events SET packed = overlay(packed PLACING '\\x00'::bytea FROM 40) WHERE stream = 'plan-e-1'`,
    );
    const { events } = await readPage(db, beginning, { limit: 2 });
    expect(() => known(events[0]!)).toThrow(UnreadableEvent);
    expect(events[1]!.data).toEqual(short);
    const outgoing = await readOutgoing(db, beginning, { limit: 2 });
    expect(outgoing.events.map(({ data }) => data)).toEqual([null, texts[1]]);
  });
});
