import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { CurtailError } from '#contracts';
import { type EventContent, type LogRange, type RangePage, readRange } from '../read-range.js';
import type { PackedChunk } from '../snapshots.js';
import { beginning, type Cursor } from '../stored-event.js';
import { type ArchiveManifest, DamagedArchive } from './format.js';
import { type LogPartition, logPartitions } from './log-partitions.js';
import { type ArchivedEvent, assertDigest, isBefore, readArchive, readManifest } from './read-archive.js';

/** The requested events are no longer in the database, and their files are missing. */
export class MissingArchive extends CurtailError {
  readonly code = 'missing-archive';
}

/** An event; for a plan from an archive with its packed input. */
export type ReadEvent = EventContent & { snapshot?: PackedChunk[] };

interface Part {
  manifest: ArchiveManifest;
  folder: string;
}

/** The contents of files, at one moment. */
interface Files {
  parts: readonly Part[];
  through: Cursor;
  /** Partitions that are no longer in the database, requested or not. */
  gone: number;
}

/**
 * The whole log, in the order of commits: first the archived events, from the files, then the database. Events up to
 * the archived place are all in the files; the copies of them in the database are skipped.
 */
export class LogWithArchives {
  private reading: { events: AsyncGenerator<ArchivedEvent>; at: Cursor } | undefined;

  private constructor(
    private readonly db: DataSource,
    private readonly asked: { folder: string | undefined; range: LogRange },
    private files: Files,
  ) {}

  /**
   * Compares the digest of each file with the recorded one in the database.
   *
   * @param folder of the archives; undefined: there is none.
   * @param range of the requested events, the time alone: files of other months are not needed.
   * @throws MissingArchive, DamagedArchive
   */
  static async open(
    db: DataSource,
    folder: string | undefined,
    range: LogRange = {},
  ): Promise<LogWithArchives> {
    return new LogWithArchives(db, { folder, range }, await LogWithArchives.filesOf(db, folder, range));
  }

  private static async filesOf(db: DataSource, folder: string | undefined, range: LogRange): Promise<Files> {
    const rows = (await logPartitions(db)).filter(isGone);
    const parts: Part[] = [];
    for (const { archive: written } of rows) {
      // A partition leaves the log only after its file was written.
      const archive = written!;
      // Events recorded later than they happened come later; events recorded earlier do not happen later.
      if (range.from !== undefined && Date.parse(archive.to) <= Date.parse(range.from)) continue;
      if (folder === undefined) {
        throw new MissingArchive(
          `events up to ${archive.to} are archived (${archive.partition}), and this process has no archive folder`,
        );
      }
      const at = join(folder, archive.folder);
      const manifest = await readManifest(at, archive.partition);
      if (manifest.sha256 !== archive.sha256)
        throw new DamagedArchive(
          join(at, manifest.file),
          `is not the archive that is on record for ${archive.partition}`,
        );
      await assertDigest(at, manifest);
      parts.push({ manifest, folder: at });
    }
    const through = rows.findLast((row) => row.through !== null)?.through ?? beginning;
    return { parts, through, gone: rows.length };
  }

  /** Events in the files that are read. */
  get archivedEvents(): number {
    return this.files.parts.reduce((sum, { manifest }) => sum + manifest.events, 0);
  }

  /**
   * As `readRange`. A page is cheap if it continues the one before; for any other cursor the file is read from its
   * beginning.
   *
   * @throws MissingArchive, DamagedArchive if events left the database meanwhile, and their files cannot be read.
   */
  async page(cursor: Cursor, range: LogRange, limit: number): Promise<RangePage<ReadEvent>> {
    for (;;) {
      const { through, gone } = this.files;
      if (isBefore(cursor, through)) {
        const page = await this.archivedPage(cursor, range, limit);
        if (page.passed > 0) return page;
      }
      const page = await readRange(this.db, isBefore(cursor, through) ? through : cursor, range, limit);
      // Queried afterwards: a partition detached before the page was read is missing in the page, and detected here.
      if ((await this.gone()) === gone) return page;
      this.reading = undefined;
      this.files = await LogWithArchives.filesOf(this.db, this.asked.folder, this.asked.range);
    }
  }

  private async gone(): Promise<number> {
    return (await logPartitions(this.db)).filter(isGone).length;
  }

  private async archivedPage(cursor: Cursor, range: LogRange, limit: number): Promise<RangePage<ReadEvent>> {
    const goesOn =
      this.reading?.at.transactionId === cursor.transactionId && this.reading.at.position === cursor.position;
    const events = goesOn ? this.reading!.events : eventsOf(this.files.parts, cursor);
    const page: RangePage<ReadEvent> = { events: [], next: cursor, passed: 0, atEnd: false };
    while (page.passed < limit) {
      const read = await events.next();
      if (read.done) break;
      const { event, snapshot } = read.value;
      page.passed++;
      page.next = { transactionId: event.transactionId, position: event.position };
      if (isWanted(event, range)) page.events.push(snapshot ? { ...event, snapshot } : event);
    }
    this.reading = { events, at: page.next };
    return page;
  }
}

async function* eventsOf(parts: readonly Part[], after: Cursor): AsyncGenerator<ArchivedEvent> {
  for (const { manifest, folder } of parts) {
    if (!manifest.last || !isBefore(after, manifest.last)) continue;
    for await (const read of readArchive(folder, manifest)) if (isBefore(after, read.event)) yield read;
  }
}

function isWanted(event: EventContent & { topic?: string }, { types, topic, from, to }: LogRange): boolean {
  const at = event.time.getTime();
  return (
    (types === undefined || types.includes(event.type)) &&
    (topic === undefined || event.topic === topic) &&
    (from === undefined || at >= Date.parse(from)) &&
    (to === undefined || at < Date.parse(to))
  );
}

/** It is no longer part of the log in the database. */
const isGone = ({ state }: LogPartition): boolean => state === 'detached' || state === 'dropped';
