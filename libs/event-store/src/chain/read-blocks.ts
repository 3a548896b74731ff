import type { DataSource } from 'typeorm';
import { isBefore } from '../archive/read-archive.js';
import type { Cursor } from '../stored-event.js';
import { type Block, bytesOfEntry } from './block.js';

interface BlockRow extends Omit<Block, 'entries' | 'pass' | 'after' | 'through'>, Cursor {
  pass: string;
  afterTransactionId: string;
  afterPosition: string;
  entries: Buffer;
}

const columns = `pass::text, partition, block, after_transaction_id::text AS "afterTransactionId", after_position::text AS "afterPosition",
  transaction_id::text AS "transactionId", position::text, entries, hash`;

function blockOf({
  pass,
  afterTransactionId,
  afterPosition,
  transactionId,
  position,
  entries,
  partition,
  block,
  hash,
}: BlockRow): Block {
  return {
    pass: Number(pass),
    partition,
    block,
    after: { transactionId: afterTransactionId, position: afterPosition },
    through: { transactionId, position },
    entries,
    hash,
  };
}

/** The blocks of the passes behind one, of about so many events; of a pass all of its blocks. */
export async function blocksAfter(db: DataSource, pass: number, events: number): Promise<Block[]> {
  const rows = await db.query<BlockRow[]>(
    `WITH sized AS (
       SELECT pass, sum(sum(length(entries))) OVER (ORDER BY pass) - sum(length(entries)) AS before
       FROM (SELECT * FROM log_blocks WHERE log_blocks.pass > $1 ORDER BY log_blocks.pass LIMIT $2) page GROUP BY pass)
     SELECT ${columns} FROM log_blocks
     WHERE log_blocks.pass IN (SELECT sized.pass FROM sized WHERE before < $2::bigint * ${bytesOfEntry})
     ORDER BY log_blocks.pass, log_blocks.partition`,
    [pass, events],
  );
  return rows.map(blockOf);
}

/** Events of blocks that are held at once. */
const eventsAtOnce = 20_000;

/** The blocks of all passes that saw events behind a place, up to another one; the first and the last pass may go beyond. */
export async function* blocksBetween(db: DataSource, after: Cursor, through: Cursor): AsyncGenerator<Block> {
  const [before] = await db.query<{ pass: string | null }[]>(
    `SELECT max(pass)::text AS pass FROM log_blocks WHERE (transaction_id, log_blocks.position) <= ($1::xid8, $2::bigint)`,
    [after.transactionId, after.position],
  );
  for (let pass = Number(before?.pass ?? 0); ; ) {
    const blocks = await blocksAfter(db, pass, eventsAtOnce);
    for (const block of blocks) {
      if (!isBefore(block.after, through)) return;
      yield block;
      pass = block.pass;
    }
    if (blocks.length === 0) return;
  }
}

/** The last block of each of these partitions before a pass. */
export async function blocksBefore(
  db: DataSource,
  pass: number,
  partitions: readonly string[],
): Promise<Pick<Block, 'partition' | 'block' | 'hash'>[]> {
  return db.query(
    `SELECT p.partition, head.block, head.hash FROM unnest($1::text[]) AS p (partition)
     CROSS JOIN LATERAL (
       SELECT block, hash FROM log_blocks WHERE log_blocks.partition = p.partition AND pass < $2 ORDER BY block DESC LIMIT 1) head`,
    [partitions, pass],
  );
}
