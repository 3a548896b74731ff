import { isDeepStrictEqual } from 'node:util';
import type { DataSource } from 'typeorm';
import type { Tx } from '#event-store';
import type { Departure, Evicted } from './departures.js';

/** The departures of a partition as of the last round that was settled. */
export async function readDepartures(db: DataSource, partition: string): Promise<Departure[]> {
  const rows = await db.query<{ allocations: Departure[] }[]>(
    'SELECT allocations FROM departures WHERE partition = $1',
    [partition],
  );
  return rows[0]?.allocations ?? [];
}

/** The evictions of a partition since an instant that runs have carried out, of all policies. */
export function readEvicted(db: DataSource, partition: string, since: Date): Promise<Evicted[]> {
  return db.query<Evicted[]>(
    `SELECT DISTINCT ON (allocation) allocation, queue, resources, evicted_at AS at FROM recent_victims
     WHERE partition = $1 AND evicted_at > $2 AND resources IS NOT NULL
     ORDER BY allocation, evicted_at DESC`,
    [partition, since.toISOString()],
  );
}

/** In the transaction that settles the round. Most rounds see the same departures as the one before: they write nothing. */
export async function writeDepartures(
  tx: Tx,
  partition: string,
  before: readonly Departure[],
  after: readonly Departure[],
): Promise<void> {
  if (isDeepStrictEqual(before, after)) return;
  await tx.query(
    `INSERT INTO departures (partition, allocations) VALUES ($1, $2::json)
     ON CONFLICT (partition) DO UPDATE SET allocations = excluded.allocations`,
    [partition, JSON.stringify(after)],
  );
}
