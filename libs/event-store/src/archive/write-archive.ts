import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { catalog } from '#contracts/events';
import { OUTLINE, SCHEMA_VERSION, STORED_SIZE, unpackText } from '../packed-data.js';
import { readPackedSnapshot } from '../snapshots.js';
import type { Cursor } from '../stored-event.js';
import { ArchiveFile, toDisk } from './archive-file.js';
import { type ArchiveManifest, archiveFormat, snapshotsKept } from './format.js';
import { LastUsed } from './read-archive.js';

/** The part of the log in one file: all events after `after` up to `through`, in the order of commits. */
export interface ArchivedPart {
  partition: string;
  from: string | null;
  to: string;
  after: Cursor;
  /** Undefined: there are no events. */
  through: Cursor | undefined;
}

const eventsAtOnce = 1000;
/** The stored (compressed) size of the data read at once. */
const bytesAtOnce = 4 * 1024 * 1024;

interface Row {
  transactionId: string;
  position: string;
  type: string;
  digest: string | null;
  line: string;
  packed: Buffer | null;
}

/**
 * Writes a part of the log into a folder, with the inputs of its plans. The file is written under a temporary name
 * first, so that a file under the final name is complete and on disk. Replaces an older file.
 *
 * @param onProgress called with the number of events written.
 */
export async function writeArchive(
  db: DataSource,
  folder: string,
  part: ArchivedPart,
  { now, onProgress }: { now: Date; onProgress: (events: number) => void },
): Promise<ArchiveManifest> {
  await mkdir(folder, { recursive: true });
  const file = `${part.partition}.jsonl.gz`;
  const out = new ArchiveFile(join(folder, file));
  let found: Found;
  try {
    found = await writeEvents(db, part, out, onProgress);
  } catch (error) {
    out.abandon();
    throw error;
  }
  const { sha256, bytes } = await out.complete();
  const manifest: ArchiveManifest = {
    format: archiveFormat,
    partition: part.partition,
    from: part.from,
    to: part.to,
    file,
    sha256,
    bytes,
    ...found,
    writtenAt: now.toISOString(),
  };
  const named = join(folder, `${part.partition}.json`);
  await writeFile(`${named}.part`, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o640 });
  await toDisk(`${named}.part`);
  await rename(`${named}.part`, named);
  await toDisk(folder);
  onProgress(found.events);
  return manifest;
}

type Found = Pick<ArchiveManifest, 'events' | 'plans' | 'plansWithoutInput' | 'first' | 'last'>;

/** Each plan's input precedes it, unless an earlier plan had the same. */
async function writeEvents(
  db: DataSource,
  part: ArchivedPart,
  out: ArchiveFile,
  onProgress: (events: number) => void,
): Promise<Found> {
  const sums = { events: 0, plans: 0, plansWithoutInput: 0 };
  let first: Cursor | null = null;
  let last: Cursor | null = null;
  const known = new LastUsed<true>(snapshotsKept);
  for await (const { transactionId, position, type, digest, line, packed } of rowsOf(db, part)) {
    if (type === catalog.PlanComputed.type && digest !== null) {
      sums.plans++;
      if (!known.get(digest)) {
        const packed = await readPackedSnapshot(db, digest);
        if (packed) {
          known.set(digest, true);
          const chunks = packed.map(({ of, body }) => ({ of, body: body.toString('base64') }));
          await out.write(JSON.stringify({ snapshot: { digest, chunks } }));
        } else sums.plansWithoutInput++;
      }
    }
    await out.write(`{"event":${packed ? await withData(line, packed) : line}}`);
    sums.events++;
    last = { transactionId, position };
    first ??= last;
    if (sums.events % eventsAtOnce === 0) onProgress(sums.events);
  }
  return { ...sums, first, last };
}

/** Completes the line of an event whose data are packed: it has null in their place. */
async function withData(line: string, packed: Buffer): Promise<string> {
  const text = await unpackText(packed);
  return `${line.slice(0, -missingData.length)}${text}}`;
}

const missingData = 'null}';

async function* rowsOf(db: DataSource, { after, through }: ArchivedPart): AsyncGenerator<Row> {
  if (!through) return;
  for (let cursor = after; ; ) {
    const rows = await db.query<Row[]>(page, [
      cursor.transactionId,
      cursor.position,
      through.transactionId,
      through.position,
      eventsAtOnce,
      bytesAtOnce,
      catalog.PlanComputed.type,
    ]);
    yield* rows;
    const end = rows.at(-1);
    if (!end) return;
    cursor = end;
  }
}

// Each row with the stored text of its data, which is the last field; a line feed between tokens would end the line of the file. Data of rows
// that belong to the next page are not unpacked.
const page = `
  WITH sized AS MATERIALIZED (
    SELECT recorded_at, transaction_id, position,
           sum(bytes) OVER (ORDER BY transaction_id, position) - bytes AS before
    FROM (SELECT recorded_at, transaction_id, position, ${STORED_SIZE} AS bytes FROM events
          WHERE (transaction_id, position) > ($1::xid8, $2::bigint) AND (transaction_id, position) <= ($3::xid8, $4::bigint)
          ORDER BY transaction_id, position LIMIT $5) page
  )
  SELECT e.transaction_id::text AS "transactionId", e.position::text, e.type,
         CASE WHEN e.type = $7 THEN ${OUTLINE} ->> 'snapshotDigest' END AS digest,
         (SELECT replace(row_to_json(event)::text, E'\\n', ' ')
          FROM (SELECT e.position, e.transaction_id, stream, version, id, type, topic, partition, key, time, e.recorded_at,
                       traceparent, tracestate, ${SCHEMA_VERSION} AS schema_version, data) event) AS line,
         packed
  FROM sized
  CROSS JOIN LATERAL (
    SELECT * FROM events WHERE events.position = sized.position AND events.recorded_at = sized.recorded_at OFFSET 0) e
  WHERE before <= $6
  ORDER BY sized.transaction_id, sized.position`;
