import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { catalog } from '#contracts/events';
import { blockLine } from '../chain/block.js';
import { blocksBetween } from '../chain/read-blocks.js';
import { unpackText } from '../packed-data.js';
import { readPackedSnapshot } from '../snapshots.js';
import type { Cursor } from '../stored-event.js';
import { ArchiveFile, toDisk } from './archive-file.js';
import { type ArchiveManifest, archiveFormat, snapshotsKept } from './format.js';
import { type ArchivedPart, archivedRows, eventsAtOnce } from './log-partitions.js';
import { isBefore, LastUsed } from './read-archive.js';

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
    after: part.after,
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

type Found = Pick<ArchiveManifest, 'events' | 'plans' | 'blocks' | 'plansWithoutInput' | 'first' | 'last'>;

/** Each plan's input precedes it, unless an earlier plan had the same; blocks precede their events. */
async function writeEvents(
  db: DataSource,
  part: ArchivedPart,
  out: ArchiveFile,
  onProgress: (events: number) => void,
): Promise<Found> {
  const sums = { events: 0, plans: 0, plansWithoutInput: 0, blocks: 0 };
  let first: Cursor | null = null;
  let last: Cursor | null = null;
  const known = new LastUsed<true>(snapshotsKept);
  const blocks = part.through ? blocksBetween(db, part.after, part.through) : undefined;
  let block = await blocks?.next();
  for await (const { transactionId, position, type, digest, line, packed, outlineDigest } of archivedRows(
    db,
    part,
  )) {
    for (
      ;
      block && !block.done && isBefore(block.value.after, { transactionId, position });
      block = await blocks!.next()
    ) {
      await out.write(JSON.stringify({ block: blockLine(block.value) }));
      sums.blocks++;
    }
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
    await out.write(`{"event":${packed ? await withData(line, packed, outlineDigest) : line}}`);
    sums.events++;
    last = { transactionId, position };
    first ??= last;
    if (sums.events % eventsAtOnce === 0) onProgress(sums.events);
  }
  return { ...sums, first, last };
}

/** Completes the line of an event whose data are packed: it has null in their place, and no digest of the outline yet. */
async function withData(line: string, packed: Buffer, outlineDigest: string | null): Promise<string> {
  const text = await unpackText(packed);
  return `${line.slice(0, -missingData.length)}"outline_digest":"${outlineDigest}","data":${text}}`;
}

const missingData = '"data":null}';
