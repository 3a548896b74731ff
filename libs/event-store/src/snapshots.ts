import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { ClusterSnapshot } from '@curtail/contracts';
import type { DataSource } from 'typeorm';
import type { Tx } from './database.js';

const pack = promisify(gzip);
const unpack = promisify(gunzip);

export interface PackedSnapshot {
  /** sha256 of the JSON text, hex. */
  digest: string;
  body: Buffer;
  bytes: number;
  takenAt: string;
}

/** Compresses a snapshot under its digest. Fast rather than small: it stands on the way from due to killed. */
export async function packSnapshot(snapshot: ClusterSnapshot): Promise<PackedSnapshot> {
  const text = JSON.stringify(snapshot);
  return {
    digest: createHash('sha256').update(text).digest('hex'),
    body: await pack(text, { level: 1 }),
    bytes: Buffer.byteLength(text),
    takenAt: snapshot.takenAt,
  };
}

/** Keeps packed snapshots for `retentionDays` from now on; one that is there already is kept longer if need be. */
export async function storeSnapshots(tx: Tx, packed: PackedSnapshot[], retentionDays: number): Promise<void> {
  // Equal ones are one row. In the order of their digests, so that two writers never wait for each other.
  const different = new Map(packed.map((snapshot) => [snapshot.digest, snapshot]));
  const snapshots = [...different.values()].sort((a, b) => (a.digest < b.digest ? -1 : 1));
  if (snapshots.length === 0) return;
  await tx.query(
    `INSERT INTO snapshots (digest, body, bytes, taken_at, kept_until)
     SELECT digest, body, bytes, taken_at, now() + make_interval(days => $5)
     FROM unnest($1::text[], $2::bytea[], $3::bigint[], $4::timestamptz[]) AS new (digest, body, bytes, taken_at)
     ON CONFLICT (digest) DO UPDATE SET kept_until = greatest(snapshots.kept_until, excluded.kept_until)`,
    [
      snapshots.map(({ digest }) => digest),
      snapshots.map(({ body }) => body),
      snapshots.map(({ bytes }) => bytes),
      snapshots.map(({ takenAt }) => takenAt),
      retentionDays,
    ],
  );
}

/** What is kept under a digest is not what was recorded under it. */
export class DamagedSnapshot extends Error {
  override readonly name = 'DamagedSnapshot';

  constructor(readonly digest: string) {
    super(`the snapshot ${digest} is not what was recorded: its contents have another digest`);
  }
}

/**
 * The snapshot under a digest as it was recorded, or undefined if its time is over.
 *
 * @throws DamagedSnapshot if something else is kept there.
 */
export async function readSnapshotBody(db: DataSource, digest: string): Promise<unknown> {
  const packed = await readPackedSnapshot(db, digest);
  return packed && unpackSnapshot(packed, digest);
}

/** The snapshot under a digest, compressed as it was stored; undefined if its time is over. */
export async function readPackedSnapshot(db: DataSource, digest: string): Promise<Buffer | undefined> {
  const rows: { body: Buffer }[] = await db.query('SELECT body FROM snapshots WHERE digest = $1', [digest]);
  return rows[0]?.body;
}

/** @throws DamagedSnapshot if it is not what was recorded under the digest. */
export async function unpackSnapshot(body: Buffer, digest: string): Promise<unknown> {
  const text = await unpack(body).catch(() => Buffer.alloc(0));
  if (createHash('sha256').update(text).digest('hex') !== digest) throw new DamagedSnapshot(digest);
  return JSON.parse(text.toString());
}

/**
 * Deletes snapshots whose time is over, the oldest first.
 *
 * @returns how many there were; a number below `limit` says that none is left. Call it again until then.
 */
export async function deleteExpiredSnapshots(db: Tx | DataSource, limit = 20): Promise<number> {
  const [, deleted]: [unknown, number] = await db.query(
    `DELETE FROM snapshots WHERE digest IN (
       SELECT digest FROM snapshots WHERE kept_until < now() ORDER BY kept_until LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    [limit],
  );
  return deleted;
}
