import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { isBefore } from '../archive/read-archive.js';
import { isLeaseOver, leaseUntil } from '../lease.js';
import type { Cursor } from '../stored-event.js';
import {
  type Block,
  bytesOfEntry,
  type ChainEntry,
  chainEntriesOf,
  entryBytes,
  hashOfBlock,
  noHash,
} from './block.js';
import { digestedPage, ENTRY } from './event-digest.js';

/** How far the chains are laid. */
export interface LaidUpTo extends Cursor {
  /** The last pass over the log; 0: there was none. */
  pass: string;
}

export async function laidUpTo(db: DataSource): Promise<LaidUpTo> {
  const [row] = await db.query<LaidUpTo[]>(
    'SELECT pass::text, transaction_id::text AS "transactionId", position::text FROM log_chain',
  );
  return row!;
}

/** Longer than a pass may take. */
const leaseMs = 60_000;
/** Events in a pass at the most. */
export const eventsOfPass = 5000;

/**
 * Lays the chains over the next settled events of the log: one pass, with a block for each partition that has events in it. Of several
 * processes, one lays. A pass counts only if it begins where the one before ended, so no event gets into two blocks, whoever
 * lays.
 *
 * @param by an id of the process.
 * @returns the number of events of the pass; undefined: another process lays.
 */
export async function layBlocks(
  db: DataSource,
  by: string,
  limit = eventsOfPass,
): Promise<number | undefined> {
  if (!(await isBehind(db))) return 0;
  const [[at]] = await db.query<[LaidUpTo[], number]>(
    `UPDATE log_chain SET laid_by = $1, lease_until = ${leaseUntil('$2')}
     WHERE laid_by = $1 OR ${isLeaseOver('lease_until')}
     RETURNING pass::text, transaction_id::text AS "transactionId", position::text`,
    [by, leaseMs],
  );
  if (!at) return undefined;
  const entries = (await nextEntries(db, at, limit)) ?? (await nextEntriesOneByOne(db, at, limit));
  const events = [...entries.values()].reduce((sum, bytes) => sum + bytes.length / bytesOfEntry, 0);
  if (events === 0) return 0;
  const last = [...entries.values()]
    .flatMap((bytes) => chainEntriesOf(bytes.subarray(-bytesOfEntry)))
    .reduce((a, b) => (isBefore(a, b) ? b : a));
  const heads = await headsOf(db, [...entries.keys()]);
  const pass = Number(at.pass) + 1;
  const blocks = [...entries].map(([partition, ofPartition]) => {
    const head = heads.get(partition);
    const block = {
      partition,
      block: (head?.block ?? 0) + 1,
      pass,
      after: { transactionId: at.transactionId, position: at.position },
      through: { transactionId: last.transactionId, position: last.position },
      entries: ofPartition,
    };
    return { ...block, hash: hashOfBlock(block, head?.hash ?? noHash) };
  });
  return (await record(db, blocks)) ? events : undefined;
}

/** The entries of the next settled events, by partition; undefined if there are packed data among them. */
async function nextEntries(
  db: DataSource,
  after: Cursor,
  limit: number,
): Promise<Map<string, Buffer> | undefined> {
  const rows = await db.query<{ partition: string; entries: Buffer; whole: boolean }[]>(
    `SELECT partition, string_agg(entry, '' ORDER BY nr) AS entries, bool_and(entry IS NOT NULL) AS whole
     FROM (
       SELECT partition, ${ENTRY} AS entry, row_number() OVER () AS nr FROM (
         SELECT * FROM events
         WHERE (transaction_id, events.position) > ($1::xid8, $2::bigint) AND transaction_id < (SELECT log_settled())
         ORDER BY transaction_id, events.position LIMIT $3) events) page
     GROUP BY partition`,
    [after.transactionId, after.position, limit],
  );
  if (rows.some(({ whole }) => !whole)) return undefined;
  return new Map(rows.map(({ partition, entries }) => [partition, entries]));
}

async function nextEntriesOneByOne(
  db: DataSource,
  after: Cursor,
  limit: number,
): Promise<Map<string, Buffer>> {
  const entries = new Map<string, ChainEntry[]>();
  for (const { partition, ...entry } of await digestedPage(db, after, limit)) {
    const known = entries.get(partition);
    if (known) known.push(entry);
    else entries.set(partition, [entry]);
  }
  return new Map([...entries].map(([partition, ofPartition]) => [partition, entryBytes(ofPartition)]));
}

/** Whether an event follows that is in no block; it may not be settled yet. */
async function isBehind(db: DataSource): Promise<boolean> {
  const [row] = await db.query<{ behind: boolean }[]>(
    `SELECT EXISTS (SELECT FROM events WHERE (events.transaction_id, events.position) > (chain.transaction_id, chain.position)) AS behind
     FROM log_chain chain`,
  );
  return row!.behind;
}

const retryMs = 500;

/** Lays the chains up to a place at least, or waits for the process that does. Everything up to there must be settled. */
export async function layThrough(db: DataSource, place: Cursor): Promise<void> {
  const by = randomUUID();
  try {
    while (isBefore(await laidUpTo(db), place)) {
      const events = await layBlocks(db, by);
      // Nothing is there to be laid: the rest was archived by a release that laid no chains.
      if (events === 0) return;
      if (events === undefined) await delay(retryMs);
    }
  } finally {
    await stopLaying(db, by);
  }
}

/** Another process may lay from now on. */
export async function stopLaying(db: DataSource, by: string): Promise<void> {
  await db.query('UPDATE log_chain SET lease_until = NULL WHERE laid_by = $1', [by]);
}

async function headsOf(
  db: DataSource,
  partitions: readonly string[],
): Promise<Map<string, Pick<Block, 'block' | 'hash'>>> {
  const rows = await db.query<(Pick<Block, 'block' | 'hash'> & { partition: string })[]>(
    `SELECT p.partition, head.block, head.hash FROM unnest($1::text[]) AS p (partition)
     CROSS JOIN LATERAL (
       SELECT block, hash FROM log_blocks WHERE log_blocks.partition = p.partition ORDER BY block DESC LIMIT 1) head`,
    [partitions],
  );
  return new Map(rows.map(({ partition, block, hash }) => [partition, { block, hash }]));
}

/** The blocks of one pass, if no other process has laid one meanwhile. */
async function record(db: DataSource, blocks: readonly Block[]): Promise<boolean> {
  const { pass, after, through } = blocks[0]!;
  const [row] = await db.query<{ laid: boolean }[]>(
    `WITH moved AS (
       UPDATE log_chain SET pass = $1, transaction_id = $4::xid8, position = $5
       WHERE pass = $1::bigint - 1 AND transaction_id = $2::xid8 AND position = $3
       RETURNING 1
     ), laid AS (
       INSERT INTO log_blocks (pass, partition, block, after_transaction_id, after_position, transaction_id, position, entries, hash)
       SELECT $1, partition, block, $2::xid8, $3, $4::xid8, $5, entries, hash
       FROM unnest($6::text[], $7::int[], $8::bytea[], $9::bytea[]) AS new (partition, block, entries, hash)
       WHERE EXISTS (SELECT FROM moved)
     )
     SELECT EXISTS (SELECT FROM moved) AS laid`,
    [
      pass,
      after.transactionId,
      after.position,
      through.transactionId,
      through.position,
      blocks.map(({ partition }) => partition),
      blocks.map(({ block }) => block),
      blocks.map(({ entries }) => entries),
      blocks.map(({ hash }) => hash),
    ],
  );
  return row!.laid;
}
