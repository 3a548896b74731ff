import type { Tx } from '@curtail/event-store';
import { momentOf } from '../tables/moment.js';
import type { ReportedPage } from './gather-reports.js';

const things = ['nodes', 'applications', 'allocations'] as const;

/**
 * Notes pages of listings, whose items are in the tables already. With the last missing one the listing is whole: what is
 * older than it was not in it and is gone. Of several listings the newest that is whole counts.
 */
export async function noteListing(
  tx: Tx,
  partition: string,
  pages: ReportedPage[],
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
  const whole: { sequence: string }[] = await tx.query(
    `SELECT sequence::text FROM inventory_pages WHERE partition = $1 AND sequence = ANY ($2::bigint[])
     GROUP BY sequence HAVING max(page) FILTER (WHERE last) = count(*) ORDER BY inventory_pages.sequence DESC LIMIT 1`,
    [partition, pages.map(({ sequence }) => sequence)],
  );
  const sequence = whole[0]?.sequence;
  if (sequence === undefined) return;
  for (const thing of things) {
    await tx.query(`DELETE FROM inventory_${thing} WHERE partition = $1 AND sequence < $2`, [
      partition,
      sequence,
    ]);
  }
  await tx.query('DELETE FROM inventory_pages WHERE partition = $1 AND sequence <= $2', [
    partition,
    sequence,
  ]);
  await tx.query(
    `UPDATE inventory_partitions SET listed_sequence = $2, listed_at = ${momentOf('$3')} WHERE partition = $1`,
    [partition, sequence, now],
  );
}
