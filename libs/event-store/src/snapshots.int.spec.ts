import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type { ClusterSnapshot } from '#contracts';
import {
  deleteExpiredSnapshots,
  packSnapshot,
  readPackedSnapshot,
  readSnapshotBody,
  storeSnapshots,
  unpackSnapshot,
} from '#event-store';
import { withMigratedDatabase } from '../../../test/support/migrated-database.js';
import { piecesOf } from './text-in-pieces.js';

describe('snapshots', () => {
  let db: DataSource;
  withMigratedDatabase((opened) => {
    db = opened;
  });
  beforeEach(() => db.query('TRUNCATE snapshots CASCADE'));

  // Taken long ago: its retention counts from the moment it is stored.
  const snapshot = (partition: string) =>
    ({
      takenAt: '2020-01-01T00:00:00.000Z',
      partition,
      queues: 'ä'.repeat(5000),
    }) as unknown as ClusterSnapshot;
  const store = async (partition: string, days: number) => {
    const packed = await packSnapshot(snapshot(partition));
    await db.transaction((tx) => storeSnapshots(tx, [packed], days));
    return packed;
  };
  const grow = (days: number) =>
    db.query('UPDATE snapshots SET kept_until = kept_until - make_interval(days => $1)', [days]);

  it('are packed under the digest of their text, and returned unchanged', async () => {
    const packed = await store('one', 7);
    const text = JSON.stringify(snapshot('one'));
    expect(packed.digest).toBe(createHash('sha256').update(text).digest('hex'));
    expect(packed.bytes).toBe(Buffer.byteLength(text));
    expect((await packed.chunks)[0]!.body.length).toBeLessThan(packed.bytes / 10);
    expect(JSON.stringify(await readSnapshotBody(db, packed.digest))).toBe(text);
    expect(await readSnapshotBody(db, 'unknown')).toBeUndefined();
  });

  it('are stored in chunks if they are long, and deleted with all chunks', async () => {
    const long = {
      ...snapshot('long'),
      allocations: Array.from({ length: 25_000 }, (_, i) => ({ id: `a-${i}`, resources: { vcore: i } })),
    } as unknown as ClusterSnapshot;
    const text = JSON.stringify(long);
    const packed = await packSnapshot(long);
    const stored = [...piecesOf(long)].map((piece) => piece.text).join('');
    expect(packed).toMatchObject({
      digest: createHash('sha256').update(stored).digest('hex'),
      bytes: Buffer.byteLength(stored),
    });
    for (let twice = 0; twice < 2; twice++) await db.transaction((tx) => storeSnapshots(tx, [packed], 1));
    const chunks = () => db.query('SELECT nr, of FROM snapshot_chunks ORDER BY nr');
    expect(await chunks()).toEqual(
      [null, ...Array(5).fill('allocations'), null].map((of, nr) => ({ nr, of })),
    );
    expect(JSON.stringify(await readSnapshotBody(db, packed.digest))).toBe(text);
    const whole = await readPackedSnapshot(db, packed.digest);
    expect(JSON.stringify(await unpackSnapshot(whole!, packed.digest))).toBe(text);
    await db.query('DELETE FROM snapshot_chunks WHERE nr = 2');
    await expect(readSnapshotBody(db, packed.digest)).rejects.toThrow('is not the recorded one');
    await grow(2);
    expect(await deleteExpiredSnapshots(db)).toBe(1);
    expect(await chunks()).toEqual([]);
  });

  it('are kept for the requested time, the longest of several requests', async () => {
    const [short, long] = [await store('short', 2), await store('long', 2)];
    await store('long', 10);
    await store('long', 1);
    expect(await deleteExpiredSnapshots(db)).toBe(0);
    await grow(3);
    expect(await deleteExpiredSnapshots(db)).toBe(1);
    expect(await readSnapshotBody(db, short.digest)).toBeUndefined();
    expect(await readSnapshotBody(db, long.digest)).toBeDefined();
    await grow(8);
    expect(await deleteExpiredSnapshots(db)).toBe(1);
  });

  it('are deleted a few at a time', async () => {
    for (const partition of ['a', 'b', 'c']) await store(partition, 1);
    await grow(2);
    const deleted = [await deleteExpiredSnapshots(db, 2), await deleteExpiredSnapshots(db, 2)];
    expect([...deleted, await deleteExpiredSnapshots(db, 2)]).toEqual([2, 1, 0]);
  });
});
