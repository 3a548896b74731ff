import { CLUSTER_DRIVER, type ClusterReader } from '@curtail/clusters';
import { type Resources, resolveShares } from '@curtail/contracts';
import type { RunControl, Stop } from '@curtail/enforcement';
import { operatorStream, type Tx } from '@curtail/event-store';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { EXECUTOR_SETTINGS, type ExecutorSettings } from './executor-settings.js';
import type { OpenExecution } from './open-executions.js';

const firstBackOffMs = 500;
const longestBackOffMs = 30_000;

/** What stands over a run at a moment. */
export interface Standing {
  /** By the clock of the database, which all processes share; never ahead of it. */
  now: () => Date;
  control: RunControl;
  /** How many events the operators have in the stream of the run. */
  said: number;
  /** In force now, of those queues that were asked for and have one. */
  guaranteed: ReadonlyMap<string, Resources>;
  /** Those of the queues that were asked for in which some run is carried out. */
  running: readonly string[];
}

interface Row {
  now: Date;
  token: string | null;
  mode: 'observe' | 'enforce' | null;
  stops: Stop[];
  said: number;
  guaranteed: Record<string, Resources>;
  /** Of the cluster, in place of amounts. */
  shares: Record<string, string>;
  running: string[];
}

/**
 * What has a say over a run and may change between two kills: the lock, the kill switches, the mode, the guarantees. The lock of a
 * round is no good any more once its policy has other settings than it was planned with, or is switched off.
 */
@Injectable()
export class ReadRunControl {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(EXECUTOR_SETTINGS) private readonly settings: ExecutorSettings,
    @Inject(CLUSTER_DRIVER) private readonly cluster: ClusterReader,
  ) {}

  /** @param queues whose guaranteed amounts and runs are wanted. */
  async of(
    { partition, queue, enforcement }: OpenExecution,
    queues: readonly string[],
    tx: Tx | DataSource = this.db,
  ): Promise<Standing> {
    const rows: Row[] = await tx.query(
      `SELECT date_trunc('milliseconds', clock_timestamp()) AS now,
              coalesce((SELECT fencing_token FROM schedules
                        WHERE partition = $1 AND queue = $2 AND running_enforcement = $3),
                       (SELECT r.fencing_token FROM rounds r JOIN partitions p USING (partition)
                        WHERE partition = $1 AND enforcement = $3 AND r.state = 'executing'
                          AND (p.policies -> r.policy)::jsonb = r.settings),
                       (SELECT e.fencing_token FROM executions e JOIN partitions p USING (partition)
                        WHERE e.enforcement = $3 AND own_lock
                          AND (p.policies -> 'fair-share')::jsonb = e.settings))::text AS token,
              (SELECT mode FROM partition_modes WHERE partition = $1) AS mode,
              (SELECT coalesce(json_agg(json_strip_nulls(json_build_object('by', set_by, 'reason', reason))::jsonb
                                        || jsonb_build_object('queue', nullif(queue, ''))), '[]')
               FROM kill_switches WHERE partition = $1) AS stops,
              (SELECT coalesce(max(version), 0) FROM events WHERE stream = $4) AS said,
              (SELECT coalesce(json_object_agg(path, guaranteed), '{}') FROM queues
               WHERE partition = $1 AND path = ANY ($5::text[]) AND guaranteed IS NOT NULL) AS guaranteed,
              (SELECT coalesce(json_object_agg(path, cluster_share ->> 'guaranteed'), '{}') FROM queues
               WHERE partition = $1 AND path = ANY ($5::text[]) AND cluster_share ->> 'guaranteed' IS NOT NULL) AS shares,
              ARRAY(SELECT s.queue FROM schedules s
                    WHERE s.partition = $1 AND s.queue = ANY ($5::text[]) AND s.running_enforcement IS NOT NULL) AS running`,
      [partition, queue, enforcement, operatorStream(enforcement), queues],
    );
    const answeredAt = performance.now();
    const row = rows[0]!;
    return {
      now: () => new Date(row.now.getTime() + performance.now() - answeredAt),
      control: {
        mode: row.mode ?? this.settings.defaultMode,
        stops: row.stops,
        fencingToken: row.token === null ? undefined : Number(row.token),
        limits: {
          victimsPerSecond: this.settings.victimsPerSecond,
          maxAttempts: this.settings.tries,
          backOffMs: firstBackOffMs,
          maxBackOffMs: longestBackOffMs,
        },
      },
      said: row.said,
      guaranteed: await this.guaranteed(partition, row),
      running: row.running,
    };
  }

  private async guaranteed(partition: string, row: Row): Promise<Map<string, Resources>> {
    const amounts = new Map(Object.entries(row.guaranteed));
    const shares = Object.entries(row.shares);
    if (shares.length === 0) return amounts;
    const size = await this.cluster.capacity(partition);
    for (const [path, guaranteed] of shares) {
      const resolved = resolveShares({ max: null, guaranteed: null, clusterShare: { guaranteed } }, size);
      if (resolved.guaranteed !== null) amounts.set(path, resolved.guaranteed);
    }
    return amounts;
  }
}
