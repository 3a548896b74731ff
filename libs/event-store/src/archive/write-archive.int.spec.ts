import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { type ClusterSnapshot } from '#contracts';
import { catalog } from '#contracts/events';
import {
  type ArchivedEvent,
  beginning,
  openDatabase,
  packSnapshot,
  readArchive,
  storeSnapshots,
  unpackSnapshot,
  verifyArchive,
  writeArchive,
} from '#event-store';
import { createMigratedDatabase, type TestDatabase } from '../../../../test/support/database.js';

describe('a file of an archive', () => {
  let server: TestDatabase;
  let db: DataSource;
  let folder: string;
  beforeAll(async () => {
    server = await createMigratedDatabase();
    db = await openDatabase(server.url);
    folder = await mkdtemp(join(tmpdir(), 'curtail-archive-'));
  });
  afterAll(async () => {
    await db?.destroy();
    await server?.drop();
    await rm(folder, { recursive: true });
  });

  it('returns the input of a large plan unchanged, from all its chunks', async () => {
    const large = {
      takenAt: '2026-11-01T00:00:00.000Z',
      partition: 'default',
      allocations: Array.from({ length: 25_000 }, (_, i) => ({ id: `ä-${i}`, resources: { vcore: i } })),
      nodes: [{ id: 'n-1' }],
    } as unknown as ClusterSnapshot;
    const packed = await packSnapshot(large);
    expect(await packed.chunks).toHaveLength(6);
    await storeSnapshots(db.manager, [packed], 1);
    await db.query(
      `INSERT INTO events (stream, version, id, type, topic, partition, key, time, data)
       VALUES ('plan-e', 1, gen_random_uuid(), $1, 'curtail.plans', 'default', 'root.q', now(), $2)`,
      [catalog.PlanComputed.type, JSON.stringify({ snapshotDigest: packed.digest })],
    );
    const [through] = await db.query(
      'SELECT transaction_id::text AS "transactionId", position::text FROM events',
    );
    const part = { partition: 'events_first', from: null, to: '2026-12-01T00:00:00Z' };
    const manifest = await writeArchive(
      db,
      folder,
      { ...part, after: beginning, through },
      { now: new Date('2026-12-02T00:00:00Z'), onProgress: () => {} },
    );
    expect(manifest).toMatchObject({ events: 1, plans: 1, plansWithoutInput: 0 });
    await verifyArchive(folder, manifest);

    const read: ArchivedEvent[] = [];
    for await (const one of readArchive(folder, manifest)) read.push(one);
    expect(read).toHaveLength(1);
    expect(read[0]!.snapshot).toEqual(await packed.chunks);
    // It compares the digest of the data that it reads.
    const input = await unpackSnapshot(read[0]!.snapshot!, packed.digest);
    expect(JSON.stringify(input)).toBe(JSON.stringify(large));
  });
});
