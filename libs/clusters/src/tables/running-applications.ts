import type { DataSource } from 'typeorm';
import type { ListQuery, RunningApplication } from '../driver.js';
import { listedBelow, readListPage } from './statements.js';
import { sumOfUsage, type UsagePart, usageParts } from './usage-rows.js';

interface Tables {
  allocations: 'simulated_allocations' | 'inventory_allocations';
  applications: 'simulated_applications' | 'inventory_applications';
  /** SQL that is true for allocations that are there. */
  isThere: string;
  /** SQL that is true for an allocation of `page`, an application, in terms of an index. */
  ofPage: string;
}

/**
 * A page of the applications with allocations in a queue and below it, by id.
 *
 * @param more parameters from $5 on.
 * @throws as `readListPage`.
 */
export async function runningApplications(
  db: DataSource,
  { allocations, applications, isThere, ofPage }: Tables,
  { partition, queue = 'root', after = '', limit }: ListQuery,
  ...more: unknown[]
): Promise<RunningApplication[]> {
  const listed = `partition = $1 AND ${listedBelow(queue, '$2')} AND ${isThere}`;
  const rows = await readListPage<Omit<RunningApplication, 'usage' | 'inFlight'> & { parts: UsagePart[] }>(
    db,
    limit,
    `WITH page AS MATERIALIZED (
         SELECT application AS id, min(queue) AS queue, count(*)::int AS allocations, min(started_at) AS "startedAt"
         FROM ${allocations} WHERE ${listed} AND application > $3
         GROUP BY application ORDER BY application LIMIT $4)
       SELECT page.*, known."user", ${usageParts(allocations, `${ofPage} AND ${listed}`)} AS parts
       FROM page LEFT JOIN ${applications} known ON known.partition = $1 AND known.id = page.id
       ORDER BY page.id`,
    [partition, queue, after, limit, ...more],
  );
  return rows.map(({ parts, ...row }) => ({ ...row, ...sumOfUsage(parts) }));
}
