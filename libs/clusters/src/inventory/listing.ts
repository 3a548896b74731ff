import type { DataSource } from 'typeorm';
import { BrokenInvariant } from '#contracts';
import type { Tx } from '#event-store';
import { momentOf } from '../tables/rows.js';
import type { ReportedPage } from './gather-reports.js';

const things = ['nodes', 'applications', 'allocations', 'budgets'] as const;

/** The number of unfinished listings to keep for a partition, and for how long. */
const unfinished = { atMost: 4, hours: 1 };

const countRunning = `SELECT count(*)::int FROM inventory_allocations WHERE partition = $1 AND NOT gone AND state = 'running'`;

/**
 * Records the listings that begin with these pages, with the number of allocations that run before any of their items is written. The
 * time of a listing is at most now: a sender whose clock is ahead has not listed later reports.
 */
export async function beginListings(tx: Tx, partition: string, pages: ReportedPage[]): Promise<void> {
  if (pages.length === 0) return;
  await tx.query(
    `INSERT INTO inventory_listings AS known (partition, sequence, running, sent_at)
     SELECT $1, sequence, coalesce(
         (SELECT running FROM inventory_listings l WHERE l.partition = $1 AND l.sequence = page.sequence),
         (${countRunning})), least(min(at), clock_timestamp())
     FROM unnest($2::bigint[], $3::timestamptz[]) AS page (sequence, at) GROUP BY sequence
     ON CONFLICT (partition, sequence) DO UPDATE SET sent_at = least(known.sent_at, excluded.sent_at)`,
    [partition, pages.map(({ sequence }) => sequence), pages.map(({ at }) => at.toISOString())],
  );
}

async function giveUpOldest(tx: Tx, partition: string): Promise<void> {
  const dropped = await tx.query<{ sequence: string }[]>(
    `WITH given_up AS (
       DELETE FROM inventory_listings WHERE partition = $1 AND (
         began_at < now() - make_interval(hours => $3) OR sequence NOT IN (
           SELECT sequence FROM inventory_listings WHERE partition = $1
           ORDER BY began_at DESC, sequence DESC LIMIT $2))
       RETURNING sequence
     ), pages AS (
       DELETE FROM inventory_pages WHERE partition = $1 AND sequence IN (SELECT sequence FROM given_up)
     )
     SELECT sequence::text FROM given_up ORDER BY given_up.sequence DESC`,
    [partition, unfinished.atMost, unfinished.hours],
  );
  if (dropped.length === 0) return;
  await tx.query(
    `UPDATE inventory_partitions SET dropped_since = coalesce(dropped_since, now()), dropped_sequence = $2,
       dropped_count = dropped_count + $3
     WHERE partition = $1`,
    [partition, dropped[0]?.sequence, dropped.length],
  );
}

/**
 * Records pages of listings whose items are in the tables already. The last missing page completes a listing: everything older was
 * not in it and is gone. Of several whole listings the newest counts. A listing that would remove too much is held: the work that it
 * lacks stays until another listing confirms it or an operator accepts it. The oldest unfinished listings are dropped when there are
 * too many or they are too old; their items stay.
 *
 * @param maxDropPercent of the running allocations.
 */
export async function noteListing(
  tx: Tx,
  partition: string,
  pages: ReportedPage[],
  maxDropPercent: number,
  now: Date | null,
): Promise<void> {
  if (pages.length === 0) return;
  await tx.query(
    `INSERT INTO inventory_pages (partition, sequence, page, last)
     SELECT $1, * FROM unnest($2::bigint[], $3::int[], $4::boolean[]) ON CONFLICT DO NOTHING`,
    [
      partition,
      pages.map(({ sequence }) => sequence),
      pages.map(({ page }) => page),
      pages.map(({ last }) => last),
    ],
  );
  const whole = await tx.query<{ sequence: string }[]>(
    `SELECT sequence::text FROM inventory_pages WHERE partition = $1 AND sequence = ANY ($2::bigint[])
     GROUP BY sequence HAVING max(page) FILTER (WHERE last) = count(*) ORDER BY inventory_pages.sequence DESC LIMIT 1`,
    [partition, pages.map(({ sequence }) => sequence)],
  );
  const sequence = whole[0]?.sequence;
  if (sequence !== undefined) {
    const drop = await dropOf(tx, partition, sequence);
    if (isTooMany(drop, maxDropPercent)) await hold(tx, partition, sequence, drop, now);
    else await applyListing(tx, partition, sequence, now);
  }
  await giveUpOldest(tx, partition);
}

async function dropOf(tx: Tx, partition: string, sequence: string): Promise<Drop> {
  const [row] = await tx.query<{ drops: number; of: number; before: number | null }[]>(
    `SELECT (${countRunning} AND sequence < $2) AS drops, running AS of,
            CASE WHEN held_sequence IS NOT NULL THEN (${countRunning} AND sequence < held_sequence) END AS before
     FROM inventory_partitions JOIN inventory_listings USING (partition)
     WHERE partition = $1 AND inventory_listings.sequence = $2`,
    [partition, sequence],
  );
  if (row === undefined) throw new BrokenInvariant(`the listing ${sequence} of ${partition} has not begun`);
  return { drops: row.drops, of: row.of, alsoMissingBefore: row.before ?? undefined };
}

/** A newer held listing replaces an older one. */
async function hold(
  tx: Tx,
  partition: string,
  sequence: string,
  { drops, of }: Drop,
  now: Date | null,
): Promise<void> {
  await tx.query(
    `UPDATE inventory_partitions SET held_sequence = $2, held_drops = $3, held_of = $4,
       held_since = coalesce(held_since, ${momentOf('$5')}), held_sent_at = l.sent_at
     FROM inventory_listings l
     WHERE inventory_partitions.partition = $1 AND l.partition = $1 AND l.sequence = $2`,
    [partition, sequence, drops, of, now],
  );
  await forgetPages(tx, partition, sequence);
}

/** Removes everything older than a whole listing, and records it as the last one. */
export async function applyListing(
  tx: Tx,
  partition: string,
  sequence: string | number,
  now: Date | null,
): Promise<void> {
  for (const thing of things) {
    await tx.query(`DELETE FROM inventory_${thing} WHERE partition = $1 AND sequence < $2`, [
      partition,
      sequence,
    ]);
  }
  await tx.query(
    `UPDATE inventory_partitions SET
       listed_sequence = $2, listed_at = ${momentOf('$3')},
       listing_sent_at = coalesce(
         (SELECT sent_at FROM inventory_listings WHERE partition = $1 AND sequence = $2), held_sent_at),
       held_sequence = NULL, held_since = NULL, held_sent_at = NULL, held_drops = NULL, held_of = NULL,
       dropped_since = NULL, dropped_sequence = NULL, dropped_count = 0
     WHERE partition = $1`,
    [partition, sequence, now],
  );
  await forgetPages(tx, partition, sequence);
}

async function forgetPages(tx: Tx, partition: string, sequence: string | number): Promise<void> {
  for (const table of ['pages', 'listings']) {
    await tx.query(`DELETE FROM inventory_${table} WHERE partition = $1 AND sequence <= $2`, [
      partition,
      sequence,
    ]);
  }
}

/** The listing that a partition holds back, and the running allocations that it lacks now; undefined: none is held. */
export async function readHeldListing(
  tx: Tx,
  partition: string,
): Promise<{ sequence: string; of: number; drops: number } | undefined> {
  const [row] = await tx.query<{ sequence: string; of: number; drops: number }[]>(
    `SELECT held_sequence::text AS sequence, held_of AS of, (${countRunning} AND sequence < held_sequence) AS drops
     FROM inventory_partitions WHERE partition = $1 AND held_sequence IS NOT NULL`,
    [partition],
  );
  return row;
}

/** The queues with the most running allocations that held listings lack: `limit` of each partition, those with the most first. */
export function queuesOfDrops(
  db: DataSource,
  held: readonly { partition: string; heldSequence: number | null }[],
  limit: number,
): Promise<{ partition: string; queue: string; drops: number }[]> {
  return db.query(
    `SELECT held.partition, most.queue, most.drops
     FROM unnest($1::text[], $2::bigint[]) AS held (partition, sequence) CROSS JOIN LATERAL (
       SELECT queue, count(*)::int AS drops FROM inventory_allocations
       WHERE partition = held.partition AND NOT gone AND state = 'running' AND sequence < held.sequence
       GROUP BY queue ORDER BY drops DESC, queue LIMIT $3) AS most
     ORDER BY most.drops DESC, most.queue`,
    [held.map(({ partition }) => partition), held.map(({ heldSequence }) => heldSequence), limit],
  );
}

/**
 * Forgets all sequences, listings and the cluster of a partition, and what is gone. Call it inside the lock of the partition.
 *
 * @returns the previous sequences; undefined if the partition has no reports.
 */
export async function forgetSequences(
  tx: Tx,
  partition: string,
): Promise<{ listedSequence: number; newestSequence: number } | undefined> {
  const [row] = await tx.query<{ listed: string; newest: string }[]>(
    `SELECT listed_sequence::text AS listed, newest_sequence::text AS newest FROM inventory_partitions
     WHERE partition = $1 FOR UPDATE`,
    [partition],
  );
  if (row === undefined) return undefined;
  await tx.query(
    `UPDATE inventory_partitions SET
       listed_sequence = 0, listed_at = NULL, listing_sent_at = NULL, newest_sequence = 0, newest_at = NULL,
       confirmed_sequence = 0, confirmed_at = NULL,
       rejected_since = NULL, rejected_at = NULL, rejected_sequence = NULL, rejected_source = NULL, rejected_count = 0,
       held_sequence = NULL, held_since = NULL, held_sent_at = NULL, held_drops = NULL, held_of = NULL,
       dropped_since = NULL, dropped_sequence = NULL, dropped_count = 0,
       cluster = NULL, other_cluster = NULL, other_since = NULL, other_at = NULL, other_count = 0
     WHERE partition = $1`,
    [partition],
  );
  for (const table of ['pages', 'listings']) {
    await tx.query(`DELETE FROM inventory_${table} WHERE partition = $1`, [partition]);
  }
  for (const table of things) {
    await tx.query(`DELETE FROM inventory_${table} WHERE partition = $1 AND gone`, [partition]);
    await tx.query(`UPDATE inventory_${table} SET sequence = 0 WHERE partition = $1`, [partition]);
  }
  return { listedSequence: Number(row.listed), newestSequence: Number(row.newest) };
}

/** The running allocations of a partition that a whole listing would remove. */
interface Drop {
  /** The number of allocations that are in none of its pages. */
  drops: number;
  /** The number of allocations that ran when its first page arrived. */
  of: number;
  /** How many of `drops` the held listing lacks as well; undefined: none is held. */
  alsoMissingBefore: number | undefined;
}

/** Any share of this few allocations may end within a moment. */
const fewest = 20;

/**
 * Whether a whole listing must be confirmed before it is applied: it would remove more than `percent` of more than 20 running
 * allocations. After a held listing, only the allocations that the held one still had count: those that both lack are confirmed.
 */
export function isTooMany({ drops, of, alsoMissingBefore = 0 }: Drop, percent: number): boolean {
  return of > fewest && (drops - alsoMissingBefore) * 100 > percent * of;
}
