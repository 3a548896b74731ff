import type { ClusterSnapshot } from '@curtail/contracts';
import type { DataSource } from 'typeorm';
import type { ClusterReader } from '../driver.js';
import { composeSnapshot } from './compose.js';
import { type QueueInForce, queuesInForce } from './queues-in-force.js';

interface Standing {
  running: string[];
  planned: string[];
  preempted: { application: string; at: string }[];
}

export interface RoundScope {
  partition: string;
  /** To plan with in place of those in force: a preview. */
  queues?: QueueInForce[] | undefined;
  /** Allocations that are read, at the most. */
  mostAllocations: number;
}

/**
 * Takes the snapshot of a whole partition that a round is planned on: what `takePlanningSnapshot` shows, and when
 * applications lost something to a round last (docs/reference/policies/intra-queue.md §9).
 *
 * @throws TooManyAllocations
 */
export async function takeRoundSnapshot(
  db: DataSource,
  reader: ClusterReader,
  { partition, queues, mostAllocations }: RoundScope,
): Promise<ClusterSnapshot> {
  // Before the cluster is read: a victim whose outcome is recorded in between is then seen twice, never not at all.
  const [standing]: Standing[] = await db.query(
    `SELECT ARRAY(SELECT queue FROM schedules WHERE partition = $1 AND running_enforcement IS NOT NULL) AS running,
            ARRAY(SELECT allocation FROM leaving_victims WHERE partition = $1) AS planned,
            (SELECT coalesce(json_agg(json_build_object('application', application, 'at', last_preempted_at)), '[]')
             FROM preempted_applications WHERE partition = $1) AS preempted`,
    [partition],
  );
  const cluster = await reader.snapshot({ partition, most: mostAllocations });
  const composed = composeSnapshot(cluster, {
    queues: queues ?? (await queuesInForce(db, partition)),
    enforcing: new Set(standing?.running),
    preempting: new Set(standing?.planned),
  });
  const lostAt = new Map(
    standing?.preempted.map(({ application, at }) => [application, new Date(at).toISOString()]),
  );
  return {
    ...composed,
    applications: composed.applications.map((application) => {
      const lastPreemptedAt = lostAt.get(application.id);
      return lastPreemptedAt === undefined
        ? application
        : { ...application, properties: { ...application.properties, lastPreemptedAt } };
    }),
  };
}
