import type { DataSource } from 'typeorm';
import { logPartitions } from '../archive/log-partitions.js';
import { isBefore } from '../archive/read-archive.js';
import { beginning, type Cursor } from '../stored-event.js';
import { type Block, type ChainEntry, chainEntriesOf } from './block.js';
import { brokenAt, Chains, compareEvents, type LogFault } from './compare.js';
import { type DigestedEvent, digestedRange } from './event-digest.js';
import { laidUpTo } from './lay-blocks.js';
import { blocksAfter, blocksBefore } from './read-blocks.js';

/** What was compared, and what was found. */
export interface VerifiedPage {
  /** The last pass that was compared; the next page begins behind it. */
  pass: number;
  atEnd: boolean;
  blocks: Pick<Block, 'partition' | 'block' | 'pass' | 'through' | 'hash'>[];
  events: number;
  /** Events of these blocks that are out of the database, in archives. */
  archived: number;
  faults: LogFault[];
}

const eventsAtOnce = 20_000;

/** Compares the log in the database with the next blocks of its chains. @param afterPass where to begin; 0: with the first. */
export async function verifyLog(db: DataSource, afterPass: number): Promise<VerifiedPage> {
  const archived = await archivedThrough(db);
  const blocks = await blocksAfter(db, afterPass, eventsAtOnce);
  const [first] = blocks;
  if (!first) return emptyPage(db, afterPass);
  const faults: LogFault[] = [];
  const chains = new Chains(true);
  for (const { partition, block, hash } of await blocksBefore(db, first.pass, [
    ...new Set(blocks.map(({ partition }) => partition)),
  ]))
    chains.continueAt(partition, block, hash);
  for (const block of blocks) faults.push(...chains.follow(block));

  let pass = afterPass;
  let through = await endOfPass(db, afterPass);
  /** What the blocks cover: where some are missing, nothing is known of the events between. */
  const covered: { after: Cursor; through: Cursor }[] = [];
  for (const block of blocks) {
    if (block.pass === pass) continue;
    const goesOn = block.pass === pass + 1 && isSame(block.after, through);
    if (!goesOn)
      faults.push(brokenAt(block, `the blocks of events before ${placeText(block.after)} are missing`));
    if (goesOn && covered.length > 0) covered.at(-1)!.through = block.through;
    else covered.push({ after: block.after, through: block.through });
    pass = block.pass;
    through = block.through;
  }

  const events: DigestedEvent[] = [];
  for (const part of covered) events.push(...(await digestedRange(db, part.after, part.through)));
  const isElsewhere = (entry: ChainEntry) => !isBefore(archived, entry);
  const entries = new Map<string, ChainEntry[]>();
  let gone = 0;
  const here = new Set(events.map(({ position }) => position));
  for (const { partition, entries: bytes } of blocks) {
    const more = chainEntriesOf(bytes);
    entries.set(partition, [...(entries.get(partition) ?? []), ...more]);
    for (const entry of more) if (isElsewhere(entry) && !here.has(entry.position)) gone++;
  }
  faults.push(...compareEvents(entries, events, isElsewhere));
  return {
    pass,
    atEnd: false,
    blocks: blocks.map(({ entries: _, ...block }) => block),
    events: events.length,
    archived: gone,
    faults,
  };
}

/** The place up to which the log is out of the database, except for copies of what is still needed. */
async function archivedThrough(db: DataSource): Promise<Cursor> {
  const gone = (await logPartitions(db)).filter(({ state }) => state === 'detached' || state === 'dropped');
  return gone.findLast(({ through }) => through !== null)?.through ?? beginning;
}

/** No block follows: none may have been laid. */
async function emptyPage(db: DataSource, afterPass: number): Promise<VerifiedPage> {
  const laid = await laidUpTo(db);
  const page: VerifiedPage = { pass: afterPass, atEnd: true, blocks: [], events: 0, archived: 0, faults: [] };
  if (Number(laid.pass) > afterPass) {
    // A pass may have been laid since the blocks were read.
    if ((await blocksAfter(db, afterPass, 1)).length > 0) return { ...page, atEnd: false };
    page.faults.push(
      brokenAt(
        { partition: '*', through: laid },
        `the blocks of passes ${afterPass + 1} to ${laid.pass} are missing, up to position ${laid.position}`,
      ),
    );
  }
  return page;
}

async function endOfPass(db: DataSource, pass: number): Promise<Cursor> {
  if (pass === 0) return beginning;
  const [row] = await db.query<Cursor[]>(
    'SELECT transaction_id::text AS "transactionId", position::text FROM log_blocks WHERE pass = $1 LIMIT 1',
    [pass],
  );
  return row ?? beginning;
}

const isSame = (a: Cursor, b: Cursor) => a.transactionId === b.transactionId && a.position === b.position;
const placeText = ({ position }: Cursor) => `position ${position}`;
