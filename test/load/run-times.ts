import pg from 'pg';
import { catalog } from '#contracts/events';
import type { System } from './system.js';

/** When a run was how far, in milliseconds from the due time. NaN for what did not happen. */
export interface RunTimes {
  queue: string;
  /** By the clock. */
  dueAt: number;
  /** As in EnforcementStarted. */
  started: number;
  /** At a consumer of Kafka. */
  seen: number;
  planned: number;
  ordered: number;
  /** The first kill request reached the cluster. */
  killed: number;
}

/** Of all queues that had a run. They have one each. */
export async function readRuns(
  { databaseUrl }: Pick<System, 'databaseUrl'>,
  seen: ReadonlyMap<string, number>,
): Promise<RunTimes[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<
      Record<'due' | 'started' | 'planned' | 'ordered' | 'killed', string | null> & { queue: string }
    >(
      `SELECT s.key AS queue, s.data ->> 'dueAt' AS due, s.data ->> 'startedAt' AS started,
              min(e.time) FILTER (WHERE e.type = $2) AS planned, min(e.time) FILTER (WHERE e.type = $3) AS ordered,
              (SELECT min(at) FROM simulated_evictions k WHERE k.queue = s.key) AS killed
       FROM events s LEFT JOIN events e ON e.key = s.key AND e.type IN ($2, $3)
       WHERE s.type = $1 GROUP BY s.position, s.key, s.data ->> 'dueAt', s.data ->> 'startedAt'`,
      [catalog.EnforcementStarted.type, catalog.PlanComputed.type, catalog.VictimOrdered.type],
    );
    return rows.map(({ queue, due, ...times }) => {
      const since = (at: string | number | null | undefined) =>
        at ? new Date(at).getTime() - Date.parse(due ?? '') : Number.NaN;
      return {
        queue,
        dueAt: Date.parse(due ?? ''),
        seen: since(seen.get(queue)),
        started: since(times.started),
        planned: since(times.planned),
        ordered: since(times.ordered),
        killed: since(times.killed),
      };
    });
  } finally {
    await client.end();
  }
}
