import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type ArchiveManifest, DamagedArchive } from '../archive/format.js';
import { assertDigest, isBefore, verifyArchive } from '../archive/read-archive.js';
import { unpackSnapshot } from '../snapshots.js';
import { beginning, type Cursor } from '../stored-event.js';
import { type Block, type BlockLine, blockOfLine, type ChainEntry, chainEntriesOf } from './block.js';
import { brokenAt, Chains, compareEvents, type LogFault } from './compare.js';
import { type DigestedEvent, digestOfLine } from './event-digest.js';

export interface PlacedManifest {
  folder: string;
  manifest: ArchiveManifest;
}

/** What was compared of archives, and what was found. */
export interface VerifiedArchives {
  events: number;
  blocks: number;
  /** Events that no block covers: archived by a release that laid no chains. */
  uncovered: number;
  faults: LogFault[];
}

/**
 * Compares the files of an archive with the blocks of the chains that they hold: what a changed file says of itself does not matter, since
 * the chain goes on in the next file and in the database.
 *
 * @param files the oldest first.
 * @param options.through the place up to which the log is archived, where that is known: the files must reach it.
 * @param options.onBlock called with each block, once.
 */
export async function verifyArchives(
  files: readonly PlacedManifest[],
  { through, onBlock = () => {} }: { through?: Cursor | undefined; onBlock?: (block: Block) => void } = {},
): Promise<VerifiedArchives> {
  const begins = files[0]?.manifest.after ?? beginning;
  const reading = new ArchiveReading(begins, onBlock);
  let last: Cursor | null = null;
  for (const { folder, manifest } of files) {
    if (last && manifest.after && isBefore(last, manifest.after))
      reading.faults.push(gap(folder, last, manifest));
    reading.faults.push(...(await fileFaults(folder, manifest)));
    await reading.file(folder, manifest);
    last = manifest.last ?? last;
  }
  const end = last ?? begins;
  reading.end(through && isBefore(end, through) ? through : end);
  const { events, blocks, uncovered, faults } = reading;
  return { events, blocks, uncovered, faults };
}

const ofFile = (position: string, message: string, kind: LogFault['kind'] = 'changed'): LogFault => ({
  kind,
  partition: '*',
  position,
  message,
});

const gap = (folder: string, before: Cursor, manifest: ArchiveManifest): LogFault =>
  ofFile(
    before.position,
    `${join(folder, manifest.file)} begins behind position ${manifest.after!.position}, but the file before it ends at position ${before.position}: a file is missing`,
    'missing',
  );

/** The digest of a file says that it was changed; the chain says what was. */
async function fileFaults(folder: string, manifest: ArchiveManifest): Promise<LogFault[]> {
  try {
    // Where there is no chain, the manifest is all there is.
    if (manifest.blocks === undefined) await verifyArchive(folder, manifest);
    else await assertDigest(folder, manifest);
    return [];
  } catch (error) {
    if (!(error instanceof DamagedArchive)) throw error;
    return [ofFile(manifest.first?.position ?? '0', error.message)];
  }
}

/** The pass over the log whose events are being read. */
interface Pass {
  number: number;
  through: Cursor;
  entries: Map<string, ChainEntry[]>;
  events: DigestedEvent[];
}

/** Reads the files of an archive, one after the other; of a pass that goes on in the next file both parts together. */
class ArchiveReading {
  events = 0;
  blocks = 0;
  uncovered = 0;
  readonly faults: LogFault[] = [];
  private readonly chains: Chains;
  private pass: Pass | undefined;
  private at: Cursor;

  /** @param begins the place behind which the first file begins. */
  constructor(
    private readonly begins: Cursor,
    private readonly onBlock: (block: Block) => void,
  ) {
    this.at = begins;
    this.chains = new Chains(!isBefore(beginning, begins));
  }

  async file(folder: string, { file }: ArchiveManifest): Promise<void> {
    const path = join(folder, file);
    const unzipped = pipeline(createReadStream(path), createGunzip(), () => {});
    let number = 0;
    try {
      for await (const line of createInterface({ input: unzipped, crlfDelay: Number.POSITIVE_INFINITY })) {
        number++;
        try {
          await this.line(line, `${path}, line ${number}`);
        } catch (error) {
          this.faults.push(
            ofFile(
              this.at.position,
              `${path}, line ${number}, behind position ${this.at.position}: cannot be read (${(error as Error).message})`,
            ),
          );
        }
      }
    } catch (error) {
      this.faults.push(
        ofFile(
          this.at.position,
          `${path} cannot be read behind position ${this.at.position} (${(error as Error).message})`,
        ),
      );
    }
  }

  private async line(line: string, where: string): Promise<void> {
    if (line.startsWith('{"event":')) return this.event(line, where);
    const { block, snapshot } = JSON.parse(line) as {
      block?: BlockLine;
      snapshot?: { digest: string; chunks: { of: string | null; body: string }[] };
    };
    if (block) this.block(blockOfLine(block));
    else if (snapshot) {
      const chunks = snapshot.chunks.map(({ of, body }) => ({ of, body: Buffer.from(body, 'base64') }));
      try {
        await unpackSnapshot(chunks, snapshot.digest);
      } catch (error) {
        this.faults.push(ofFile(this.at.position, `${where}: ${(error as Error).message}`));
      }
    }
  }

  private block(block: Block): void {
    if (this.pass && block.pass === this.pass.number && this.pass.entries.has(block.partition)) return;
    if (this.pass?.number !== block.pass) {
      const before = this.pass;
      this.endPass(before?.through ?? this.at);
      if (before && (block.pass !== before.number + 1 || isBefore(before.through, block.after)))
        this.faults.push(
          brokenAt(block, `the blocks of passes ${before.number + 1} to ${block.pass - 1} are missing`),
        );
      this.pass = { number: block.pass, through: block.through, entries: new Map(), events: [] };
    }
    this.pass!.entries.set(block.partition, chainEntriesOf(block.entries));
    this.blocks++;
    this.faults.push(...this.chains.follow(block));
    this.onBlock(block);
  }

  private event(line: string, where: string): void {
    const { event } = JSON.parse(line) as { event: Record<string, unknown> };
    const place = { transactionId: String(event.transaction_id), position: String(event.position) };
    if (!isBefore(this.at, place)) {
      this.faults.push({
        ...ofFile(
          place.position,
          `${where}: the event at position ${place.position} is out of order`,
          'reordered',
        ),
        partition: String(event.partition),
      });
    } else this.at = place;
    this.events++;
    if (!this.pass) {
      this.uncovered++;
      return;
    }
    this.pass.events.push({ ...place, partition: String(event.partition), digest: digestOfLine(line) });
  }

  private endPass(end: Cursor): void {
    if (!this.pass) return;
    const { entries, events, through } = this.pass;
    const reached = isBefore(end, through) ? end : through;
    // What comes before the first file, or behind the last one, is not in these files.
    const isElsewhere = (entry: ChainEntry) => !isBefore(this.begins, entry) || isBefore(reached, entry);
    this.faults.push(...compareEvents(entries, events, isElsewhere));
    this.pass = undefined;
  }

  /** @param end the place that the files must reach. */
  end(end: Cursor): void {
    this.endPass(end);
  }
}
