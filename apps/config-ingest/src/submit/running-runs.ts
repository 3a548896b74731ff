import type { RunningRun } from '#contracts/api';
import { catalog } from '#contracts/events';
import { enforcementStream, type Tx } from '#event-store';

const mostNamed = 100;

/** @param queues those whose quota changed; null for the whole partition, whose switch was turned off. */
export async function runningRuns(
  tx: Tx,
  partition: string,
  queues: readonly string[] | null,
): Promise<RunningRun[]> {
  if (queues?.length === 0) return [];
  return tx.query(
    `SELECT s.queue, s.running_enforcement AS enforcement,
            EXISTS (SELECT FROM events e WHERE e.stream = $3 || s.running_enforcement AND e.type = $4) AS evicting,
            (SELECT count(*)::int FROM events e WHERE e.stream = $3 || s.running_enforcement AND e.type = $5) AS evicted
     FROM clocks s
     WHERE s.partition = $1 AND s.running_enforcement IS NOT NULL AND ($2::text[] IS NULL OR s.queue = ANY ($2))
     ORDER BY s.queue LIMIT $6`,
    [
      partition,
      queues,
      enforcementStream(''),
      catalog.VictimOrdered.type,
      catalog.VictimEvicted.type,
      mostNamed,
    ],
  );
}
