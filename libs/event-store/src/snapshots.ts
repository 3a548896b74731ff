import { createHash } from 'node:crypto';
import { setImmediate as statementsAreSent } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip, gzip, gzipSync } from 'node:zlib';
import type { DataSource } from 'typeorm';
import type { ClusterSnapshot } from '#contracts';
import { CurtailError } from '#contracts';
import type { Tx } from './database.js';
import {
  isSplit,
  partsOf,
  splitList,
  TextInPieces,
  type TextPart,
  textOfElements,
} from './text-in-pieces.js';

const pack = promisify(gzip);
const unpack = promisify(gunzip);

/** Bytes. */
const shortText = 16_384;
/** Pieces that threads compress while the next ones are written; each has some megabytes. */
const mostAtOnce = 12;

export interface PackedSnapshot {
  /** sha256 of the text, hex: JSON, long lists as columns (`piecesOf`). */
  digest: string;
  /** Of the text. */
  bytes: number;
  takenAt: string;
  /**
   * The compressed text, in order: one chunk, except for long snapshots. Threads compress the last ones when the digest
   * is known.
   */
  chunks: Promise<PackedChunk[]>;
}

/** A compressed part of the text: elements of the top-level list `of`, or with null the text around the lists. */
export interface PackedChunk {
  of: string | null;
  body: Buffer;
}

/** Elements of a list of a snapshot, with their text and its compressed form. */
interface PackedPiece {
  elements: readonly unknown[];
  text: Buffer;
  body: Buffer;
}

/** By the first of their elements; dropped with it. */
const packedAhead = new WeakMap<object, PackedPiece>();

/**
 * Writes and compresses the pieces of a long list. `packSnapshot` later uses those in which all elements are still the same objects.
 *
 * @param isWanted asked before each piece: the others are left if it is false.
 */
export async function packListAhead(list: readonly object[], isWanted = () => true): Promise<void> {
  if (!isSplit(list)) return;
  for (const elements of splitList(list) as Generator<readonly object[]>) {
    if (!isWanted()) return;
    if (findPackedAhead(elements)) continue;
    const text = Buffer.from(textOfElements(elements));
    packedAhead.set(elements[0]!, { elements, text, body: await pack(text, { level: 1 }) });
  }
}

function findPackedAhead(elements: readonly unknown[]): PackedPiece | undefined {
  const packed = packedAhead.get(elements[0] as object);
  const isSame =
    packed?.elements.length === elements.length &&
    packed.elements.every((element, i) => element === elements[i]);
  return isSame ? packed : undefined;
}

/**
 * Compresses a snapshot under its digest, piece by piece. Fast rather than small: it is part of the time from due to
 * killed.
 */
export async function packSnapshot(snapshot: ClusterSnapshot): Promise<PackedSnapshot> {
  const hash = createHash('sha256');
  const packing: Promise<PackedChunk>[] = [];
  let bytes = 0;
  for (const part of partsOf(snapshot)) {
    // Writing a piece takes long: the database gets the statements that were issued before it.
    if (packing.length > 0) await statementsAreSent();
    const { text, body } = packedPart(part);
    hash.update(text);
    bytes += text.length;
    const packed = body.then((body) => ({ of: part.of, body }));
    // It is awaited later, perhaps after another piece has failed.
    packed.catch(() => {});
    packing.push(packed);
    await packing.at(-mostAtOnce);
  }
  const chunks = Promise.all(packing);
  chunks.catch(() => {});
  return { digest: hash.digest('hex'), bytes, takenAt: snapshot.takenAt, chunks };
}

function packedPart(part: TextPart): { text: Buffer; body: Promise<Buffer> } {
  const ahead = 'elements' in part ? findPackedAhead(part.elements) : undefined;
  if (ahead) return { text: ahead.text, body: Promise.resolve(ahead.body) };
  const text = Buffer.from('text' in part ? part.text : textOfElements(part.elements));
  return { text, body: packText(text) };
}

/** A short text is compressed in less time than a thread takes to answer. */
const packText = async (text: Buffer): Promise<Buffer> =>
  text.length <= shortText ? gzipSync(text, { level: 1 }) : pack(text, { level: 1 });

/** Keeps packed snapshots for `retentionDays` from now on; extends the retention of existing ones if necessary. */
export async function storeSnapshots(tx: Tx, packed: PackedSnapshot[], retentionDays: number): Promise<void> {
  // Equal ones share one row. In the order of their digests, so that two writers never wait for each other.
  const different = new Map(packed.map((snapshot) => [snapshot.digest, snapshot]));
  const snapshots = [...different.values()].sort((a, b) => (a.digest < b.digest ? -1 : 1));
  if (snapshots.length === 0) return;
  const packedChunks = new Map(
    await Promise.all(snapshots.map(async (snapshot) => [snapshot, await snapshot.chunks] as const)),
  );
  await tx.query(
    `INSERT INTO snapshots (digest, body, bytes, taken_at, kept_until)
     SELECT digest, body, bytes, taken_at, now() + make_interval(days => $5)
     FROM unnest($1::text[], $2::bytea[], $3::bigint[], $4::timestamptz[]) AS new (digest, body, bytes, taken_at)
     ON CONFLICT (digest) DO UPDATE SET kept_until = greatest(snapshots.kept_until, excluded.kept_until)`,
    [
      snapshots.map(({ digest }) => digest),
      [...packedChunks.values()].map(([only, ...more]) => (only && more.length === 0 ? only.body : noBody)),
      snapshots.map(({ bytes }) => bytes),
      snapshots.map(({ takenAt }) => takenAt),
      retentionDays,
    ],
  );
  for (const [{ digest }, chunks] of packedChunks) {
    if (chunks.length === 1) continue;
    for (const [nr, { of, body }] of chunks.entries()) {
      await tx.query(
        'INSERT INTO snapshot_chunks (digest, nr, of, body) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
        [digest, nr, of, body],
      );
    }
  }
}

const noBody = Buffer.alloc(0);

/** The plan kept under a digest is not the one recorded under it. */
export class DamagedSnapshot extends CurtailError {
  readonly code = 'damaged-snapshot';

  constructor(readonly digest: string) {
    super(`snapshot ${digest} is not the recorded one: its contents have another digest`);
  }
}

/**
 * The snapshot under a digest as it was recorded, or undefined if it has expired.
 *
 * @throws DamagedSnapshot if the content does not match the digest.
 */
export async function readSnapshotBody(db: DataSource, digest: string): Promise<unknown> {
  const packed = await findPacked(db, digest);
  return packed && unpackSnapshot(packed, digest);
}

/** The snapshot under a digest, compressed as it was stored; undefined if it has expired. */
export async function readPackedSnapshot(db: DataSource, digest: string): Promise<PackedChunk[] | undefined> {
  const packed = await findPacked(db, digest);
  if (!packed) return undefined;
  const chunks: PackedChunk[] = [];
  for await (const chunk of packed) chunks.push(chunk);
  return chunks;
}

/** @throws DamagedSnapshot if it differs from the content recorded under the digest. */
export async function unpackSnapshot(
  chunks: AsyncIterable<PackedChunk> | Iterable<PackedChunk>,
  digest: string,
): Promise<unknown> {
  const hash = createHash('sha256');
  const text = new TextInPieces();
  for await (const { of, body } of chunks) {
    const piece = await unpack(body).catch(() => noBody);
    hash.update(piece);
    try {
      text.add({ of, text: piece.toString() });
    } catch {
      throw new DamagedSnapshot(digest);
    }
  }
  if (hash.digest('hex') !== digest) throw new DamagedSnapshot(digest);
  return text.parsed();
}

async function findPacked(
  db: DataSource,
  digest: string,
): Promise<AsyncIterable<PackedChunk> | PackedChunk[] | undefined> {
  const rows = await db.query<{ body: Buffer }[]>('SELECT body FROM snapshots WHERE digest = $1', [digest]);
  const row = rows[0];
  if (!row) return undefined;
  return row.body.length > 0 ? [{ of: null, body: row.body }] : chunksOf(db, digest);
}

/** One after the other: together they may exceed the maximum length of a string. */
async function* chunksOf(db: DataSource, digest: string): AsyncGenerator<PackedChunk> {
  for (let nr = 0; ; nr++) {
    const rows = await db.query<PackedChunk[]>(
      'SELECT of, body FROM snapshot_chunks WHERE digest = $1 AND nr = $2',
      [digest, nr],
    );
    if (!rows[0]) return;
    yield rows[0];
  }
}

/**
 * Deletes expired snapshots, the oldest first.
 *
 * @returns the number of deleted ones; fewer than `limit` if none is left. Call it again until then.
 */
export async function deleteExpiredSnapshots(db: Tx | DataSource, limit = 20): Promise<number> {
  const [, deleted] = await db.query<[unknown, number]>(
    `DELETE FROM snapshots WHERE digest IN (
       SELECT digest FROM snapshots WHERE kept_until < now() ORDER BY kept_until LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    [limit],
  );
  return deleted;
}
