import { amountText, catalog, type Resources } from '@curtail/contracts';
import { executionStream } from '@curtail/event-store';
import type { DataSource } from 'typeorm';

/**
 * A sentence where the quota in force is not the one that a run was planned for; undefined where it is, or follows the size of
 * the cluster.
 */
export async function quotaChangedSince(
  db: DataSource,
  { partition, queue }: { partition: string; queue: string },
  enforcement: string,
): Promise<string | undefined> {
  const [found]: { planned: Resources | null; inForce: Resources | null; differs: boolean }[] =
    await db.query(
      `SELECT e.data -> 'max' AS planned, q.max AS "inForce",
            q.cluster_share ->> 'max' IS NULL
            AND nullif((e.data -> 'max')::jsonb, 'null') IS DISTINCT FROM q.max::jsonb AS differs
     FROM events e LEFT JOIN queues q ON q.partition = $1 AND q.path = $2
     WHERE e.stream = $3 AND e.type = $4`,
      [partition, queue, executionStream(enforcement), catalog.ExecutionOpened.type],
    );
  if (!found?.differs) return undefined;
  return (
    `The quota of ${queue} changed from ${inWords(found.planned)} to ${inWords(found.inForce)} since this run was planned: ` +
    'it evicts only what the quota in force needs.'
  );
}

const inWords = (max: Resources | null): string =>
  max === null || Object.keys(max).length === 0
    ? 'no limit'
    : Object.entries(max)
        .map(([type, amount]) => amountText(type, amount))
        .join(', ');
