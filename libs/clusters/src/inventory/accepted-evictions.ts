import type { DataSource } from 'typeorm';
import { type KnownEvent, known, readStreams } from '#event-store';

/** An eviction that the platform has accepted, of an allocation that is not reported gone. */
export interface AcceptedEviction {
  allocation: string;
  graceSeconds: number;
}

const ACCEPTED = `
  SELECT a.id AS allocation, asked.eviction_id AS "evictionId"
  FROM inventory_allocations a JOIN inventory_evictions asked USING (eviction_id)
  WHERE a.partition = $1 AND NOT a.gone AND asked.answer ->> 'answer' = 'accepted'`;

/** The accepted evictions of a partition, with the grace period of their last request. */
export async function acceptedEvictions(db: DataSource, partition: string): Promise<AcceptedEviction[]> {
  const rows = await db.query<{ allocation: string; evictionId: string }[]>(ACCEPTED, [partition]);
  const streams = await readStreams(
    db,
    rows.map(({ evictionId }) => ({ stream: `eviction-${evictionId}`, after: 0 })),
  );
  return rows.flatMap(({ allocation }, index) => {
    const requests = (streams[index] ?? []).map(known).filter(({ name }) => name === 'EvictionRequested');
    const last = requests.at(-1) as KnownEvent<'EvictionRequested'> | undefined;
    return last === undefined ? [] : [{ allocation, graceSeconds: last.data.graceSeconds }];
  });
}
