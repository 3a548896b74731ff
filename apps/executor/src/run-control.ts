import { CLUSTER_DRIVER, type ClusterReader } from '@curtail/clusters';
import { InputError, type Limit, type Resources, resolveShares } from '@curtail/contracts';
import type { RunControl, Stop } from '@curtail/enforcement';
import { operatorStream, Together, type Tx } from '@curtail/event-store';
import type { OpenExecution } from '@curtail/runs';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { EXECUTOR_SETTINGS, type ExecutorSettings } from './executor-settings.js';
import { LOCK_IN_FORCE } from './lock-in-force.js';

const firstBackOffMs = 500;
const longestBackOffMs = 30_000;
/** A page of victims shares its statements. A longer one would hold its turn for long, and its victims' queues locks. */
const victimsAtOnce = 64;

/** What stands over a run at a moment. */
export interface Standing {
  /** By the clock of the database, which all processes share; never ahead of it. */
  now: () => Date;
  control: RunControl;
  /** How many events the operators have in the stream of the run. */
  said: number;
  /** In force now, of those queues that were asked for and have one. */
  guaranteed: ReadonlyMap<string, Resources>;
  /** A queue that is guaranteed a share of the cluster, of which nobody knows what it comes to. */
  unknownFloor?: string | undefined;
  /** Those of the queues that were asked for in which some run is carried out. */
  running: readonly string[];
}

/** What is looked at for a run: the guaranteed amounts and the runs of these queues. */
interface Look {
  execution: OpenExecution;
  queues: readonly string[];
}

export interface LookOptions {
  /** The run itself is judged by a share of the cluster, whatever is in force (`followsCluster`). */
  followsCluster?: boolean;
  /** To look with; absent: together with what others look at meanwhile. */
  tx?: Tx;
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
  /** What the configuration in force says of the enforced queue; null: it has no such queue any more. */
  limit: { max: Resources | null; share: string | null; delayMs: number } | null;
  enabled: boolean;
}

/**
 * What has a say over a run and may change between two kills: the lock, the kill switches, the mode, the guarantees.
 */
@Injectable()
export class ReadRunControl {
  private readonly together = new Together((looks: Look[]) => readAll(this.db, looks));

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(EXECUTOR_SETTINGS) private readonly settings: ExecutorSettings,
    @Inject(CLUSTER_DRIVER) private readonly cluster: ClusterReader,
  ) {}

  /** @param queues whose guaranteed amounts and runs are wanted. */
  async of(
    execution: OpenExecution,
    queues: readonly string[],
    { followsCluster = false, tx }: LookOptions = {},
  ): Promise<Standing> {
    const look = { execution, queues };
    const { row, answeredAt } = tx ? (await readAll(tx, [look]))[0]! : await this.together.ask(look);
    const [shared] = Object.keys(row.shares);
    const hasShares = followsCluster || shared !== undefined || (row.limit?.share ?? null) !== null;
    const size = hasShares ? await this.clusterSize(execution.partition) : {};
    const isUnknown = Object.keys(size).length === 0;
    return {
      now: () => new Date(row.now.getTime() + performance.now() - answeredAt),
      control: {
        mode: row.mode ?? this.settings.defaultMode,
        stops: row.stops,
        fencingToken: row.token === null ? undefined : Number(row.token),
        limits: {
          victimsPerSecond: this.settings.victimsPerSecond,
          victimsAtOnce,
          maxAttempts: this.settings.tries,
          backOffMs: firstBackOffMs,
          maxBackOffMs: longestBackOffMs,
        },
        // A delay of 0 switches the enforcement of a queue off.
        inForce: { ...limitIn(row), enabled: row.enabled && row.limit?.delayMs !== 0 },
        clusterSize: size,
      },
      said: row.said,
      guaranteed: guaranteedIn(row, size),
      unknownFloor: isUnknown ? shared : undefined,
      running: row.running,
    };
  }

  /** `{}` while the cluster is not known: nodes that have come may stand in reports that nobody has read yet. */
  private async clusterSize(partition: string): Promise<Resources> {
    try {
      await this.cluster.assertKnown?.(partition);
    } catch (error) {
      if (error instanceof InputError) return {};
      throw error;
    }
    return this.cluster.capacity(partition);
  }
}

function guaranteedIn(row: Row, size: Resources): Map<string, Resources> {
  const amounts = new Map(Object.entries(row.guaranteed));
  for (const [path, guaranteed] of Object.entries(row.shares)) {
    const resolved = resolveShares({ max: null, guaranteed: null, clusterShare: { guaranteed } }, size);
    if (resolved.guaranteed !== null) amounts.set(path, resolved.guaranteed);
  }
  return amounts;
}

function limitIn({ limit }: Row): Limit {
  return { max: limit?.max ?? null, ...(limit?.share != null && { maxShare: limit.share }) };
}

/** One row for each look, in their order, and when all of them were there, by a clock that only goes forward. */
async function readAll(db: Tx | DataSource, looks: Look[]): Promise<{ row: Row; answeredAt: number }[]> {
  const rows: Row[] = await db.query(STANDINGS, [
    looks.map(({ execution }) => execution.partition),
    looks.map(({ execution }) => execution.queue),
    looks.map(({ execution }) => execution.enforcement),
    looks.map(({ execution }) => operatorStream(execution.enforcement)),
    looks.map(({ queues }) => JSON.stringify(queues)),
  ]);
  const answeredAt = performance.now();
  return rows.map((row) => ({ row, answeredAt }));
}

const STANDINGS = `
  SELECT date_trunc('milliseconds', clock_timestamp()) AS now,
         (${LOCK_IN_FORCE})::text AS token,
         (SELECT mode FROM partition_modes m WHERE m.partition = run.partition) AS mode,
         (SELECT coalesce(json_agg(json_strip_nulls(json_build_object('by', set_by, 'reason', reason))::jsonb
                                   || jsonb_build_object('queue', nullif(k.queue, ''))), '[]')
          FROM kill_switches k WHERE k.partition = run.partition) AS stops,
         (SELECT coalesce(max(version), 0) FROM events e WHERE e.stream = run.stream) AS said,
         (SELECT coalesce(json_object_agg(path, guaranteed), '{}') FROM queues q
          WHERE q.partition = run.partition AND path = ANY (run.queues) AND guaranteed IS NOT NULL) AS guaranteed,
         (SELECT coalesce(json_object_agg(path, cluster_share ->> 'guaranteed'), '{}') FROM queues q
          WHERE q.partition = run.partition AND path = ANY (run.queues) AND cluster_share ->> 'guaranteed' IS NOT NULL) AS shares,
         ARRAY(SELECT s.queue FROM schedules s
               WHERE s.partition = run.partition AND s.queue = ANY (run.queues) AND s.running_enforcement IS NOT NULL) AS running,
         (SELECT json_build_object('max', max, 'share', cluster_share ->> 'max', 'delayMs', delay_ms) FROM queues q
          WHERE q.partition = run.partition AND q.path = run.queue) AS "limit",
         coalesce((SELECT quota_preemption_enabled FROM partitions p WHERE p.partition = run.partition), false) AS enabled
  FROM (SELECT partition, queue, enforcement, stream, nr, ARRAY(SELECT json_array_elements_text(of)) AS queues
        FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::json[])
          WITH ORDINALITY AS look (partition, queue, enforcement, stream, of, nr)) AS run
  ORDER BY nr`;
