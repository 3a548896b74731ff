import type { DataSource } from 'typeorm';
import { clockKind } from '#contracts';
import type { Timer } from '#timers';

/** Due clocks of a partition, and whether the limit of any of them is a share of the cluster. */
export interface DueClocks {
  due: Timer[];
  followCluster: boolean;
}

type Row = Timer & { follows: boolean };

/** Pending clocks of a partition that are due at `now`: the longest due first, then the deeper path, then by name. */
export async function dueClocks(
  db: DataSource,
  now: Date,
  { partition, limit }: { partition: string; limit: number },
): Promise<DueClocks> {
  const rows = await db.query<Row[]>(DUE, [clockKind, now.toISOString(), limit, partition]);
  return { due: rows, followCluster: rows.some(({ follows }) => follows) };
}

const DUE = `
  SELECT kind, partition, name, generation, due_at AS "dueAt", state,
         EXISTS (SELECT FROM clocks s WHERE s.partition = due.partition AND s.queue = due.name
                   AND s.state #>> '{values,maxShare}' IS NOT NULL) AS follows
  FROM (SELECT * FROM timers
        WHERE kind = $1 AND state = 'pending' AND due_at <= $2 AND partition = $4
        ORDER BY due_at, length(name) - length(replace(name, '.', '')) DESC, name LIMIT $3) due
  ORDER BY due_at, length(name) - length(replace(name, '.', '')) DESC, name`;
