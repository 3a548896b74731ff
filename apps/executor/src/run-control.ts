import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CLUSTER_DRIVER, type ClusterReader } from '#clusters';
import {
  chainFromRoot,
  InputError,
  type Limit,
  propertyOf,
  type QueueWithProperties,
  type Resources,
  resolveShares,
  settingsOfPartitions,
  settingsOfQueue,
  settingsOfRuns,
} from '#contracts';
import { type Ceilings, modeInForce, type RunControl } from '#enforcement';
import { answersStream, Batcher, operatorStream, type Tx } from '#event-store';
import { EVICTION_HOLDS, type EvictionHolds, type Holds, stopsAt } from '#holds';
import { LOCK_IN_FORCE, type OpenRun } from '#runs';
import type { CommandVersions } from './runs/run-log.js';
import { EXECUTOR_SETTINGS, type ExecutorSettings } from './settings/executor-settings.js';

const firstBackOffMs = 500;
const longestBackOffMs = 30_000;
/**
 * A page of victims shares its statements. A longer one would hold its turn, and the locks of its victims' queues, for
 * too long.
 */
const victimsAtOnce = 64;

/** The conditions that decide about the next step of a run, at one moment. */
export interface RunStatus {
  /** By the clock of the database, which all processes share; never ahead of it. */
  now: () => Date;
  control: RunControl;
  holds: Pick<Holds, 'stops' | 'freezes'>;
  commands: CommandVersions;
  /** In force now, of those requested queues that have one. */
  guaranteed: ReadonlyMap<string, Resources>;
  /** A queue that is guaranteed a share of the cluster while the size of the cluster is unknown. */
  unknownFloor?: string | undefined;
  /** Those of the requested queues that have a run under way. */
  running: readonly string[];
  /** The settings in force for one of the requested queues. */
  settingsOf: (queue: string) => RunSettings;
  limits: PartitionLimits;
}

/** The limits over all runs of a partition. */
export interface PartitionLimits extends Ceilings {
  /** null: only the rate of each run counts. */
  victimsPerSecond: number | null;
}

export type RunSettings = Pick<ExecutorSettings, (typeof settingsOfRuns)[number]>;

/** A request for the status of a run, with the guaranteed amounts and the runs of these queues. */
interface StatusRequest {
  run: OpenRun;
  queues: readonly string[];
}

export interface StatusOptions {
  /** The run itself is judged by a share of the cluster, whatever is in force (`followsCluster`). */
  followsCluster?: boolean;
  /** The transaction to read in; absent: read together with the requests of other runs. */
  tx?: Tx;
}

interface Row {
  now: Date;
  token: string | null;
  holds: EvictionHolds;
  operator_events: number;
  answer_events: number;
  guaranteed: Record<string, Resources>;
  /** Of the cluster, in place of amounts. */
  shares: Record<string, string>;
  running: string[];
  /** The limit of the enforced queue in the configuration in force; null: it no longer has the queue. */
  limit: { max: Resources | null; share: string | null; delayMs: number } | null;
  /** Those of the requested queues that set a setting of runs. */
  settings: QueueWithProperties[];
}

/**
 * Reads everything that controls a run and may change between two kills: the lock, the kill switches, the mode, the guarantees.
 */
@Injectable()
export class ReadRunControl {
  private readonly together = new Batcher((requests: StatusRequest[]) => readAll(this.db, requests));

  constructor(
    private readonly db: DataSource,
    @Inject(EXECUTOR_SETTINGS) private readonly settings: ExecutorSettings,
    @Inject(CLUSTER_DRIVER) private readonly cluster: ClusterReader,
  ) {}

  /** @param queues whose guaranteed amounts and runs are wanted. */
  async of(
    run: OpenRun,
    queues: readonly string[],
    { followsCluster = false, tx }: StatusOptions = {},
  ): Promise<RunStatus> {
    const request = { run, queues };
    const { row, answeredAt } = tx ? (await readAll(tx, [request]))[0]! : await this.together.ask(request);
    const [shared] = Object.keys(row.shares);
    const hasShares = followsCluster || shared !== undefined || (row.limit?.share ?? null) !== null;
    const size = hasShares ? await this.clusterSize(run.partition) : {};
    const isUnknown = Object.keys(size).length === 0;
    const settingsOf = (queue: string) => this.settingsOf(queue, row.settings);
    const limits = this.limitsOf(run.queue, row.settings);
    const { holds } = row;
    const inForce = modeInForce(holds.mode, this.settings);
    return {
      now: () => new Date(row.now.getTime() + performance.now() - answeredAt),
      control: {
        mode: inForce.mode,
        modeBecause: inForce.because,
        stops: holds.stops,
        fencingToken: row.token === null ? undefined : Number(row.token),
        limits: {
          victimsPerSecond: settingsOf(run.queue).victimsPerSecond,
          // A page takes its tokens at once, and there are at most those of a second.
          victimsAtOnce: Math.min(victimsAtOnce, limits.victimsPerSecond ?? victimsAtOnce),
          maxAttempts: this.settings.tries,
          backOffMs: firstBackOffMs,
          maxBackOffMs: longestBackOffMs,
        },
        // A delay of 0 switches the enforcement of a queue off.
        inForce: { ...limitIn(row), enabled: holds.enabled && row.limit?.delayMs !== 0 },
        clusterSize: size,
        change: holds.change ?? undefined,
      },
      limits,
      holds,
      commands: { operator: row.operator_events, answers: row.answer_events },
      guaranteed: guaranteedIn(row, size),
      unknownFloor: isUnknown ? shared : undefined,
      running: row.running,
      settingsOf,
    };
  }

  /** The capacities of all nodes; `{}` if none are known. */
  capacity(partition: string): Promise<Resources> {
    return this.cluster.capacity(partition);
  }

  private settingsOf(queue: string, queues: readonly QueueWithProperties[]): RunSettings {
    return settingsOfQueue(settingsOfRuns, this.settings, queues, queue);
  }

  private limitsOf(queue: string, queues: readonly QueueWithProperties[]): PartitionLimits {
    const root = chainFromRoot(queue)[0]!;
    const of = settingsOfQueue(settingsOfPartitions, this.settings, queues, root);
    return {
      ceilingPerHour: of.ceilingPerHour ?? null,
      ceilingPerConfiguration: of.ceilingPerConfiguration ?? null,
      ceilingClusterPercent: of.ceilingClusterPercent ?? null,
      victimsPerSecond: of.partitionVictimsPerSecond ?? null,
    };
  }

  /** `{}` while the cluster is unknown: unread reports may hold new nodes. */
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

/**
 * The control of a run at this moment, with the freezes in effect as stops: a run that was opened before a freeze began continues.
 *
 * @param openedAt undefined: it is not open yet.
 */
export function controlOf({ control, holds, now }: RunStatus, openedAt: string | undefined): RunControl {
  const openedMs = openedAt === undefined ? undefined : Date.parse(openedAt);
  return { ...control, stops: stopsAt(holds, now().getTime(), openedMs) };
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

/** One row per request, in their order, and when all of them had arrived, by a monotonic clock. */
async function readAll(
  db: Tx | DataSource,
  requests: StatusRequest[],
): Promise<{ row: Row; answeredAt: number }[]> {
  const rows = await db.query<Row[]>(STATUSES(), [
    requests.map(({ run }) => run.partition),
    requests.map(({ run }) => run.queue),
    requests.map(({ run }) => run.enforcement),
    requests.map(({ run }) => operatorStream(run.enforcement)),
    requests.map(({ run }) => answersStream(run.enforcement)),
    requests.map(({ queues }) => JSON.stringify(queues)),
    [...settingsOfRuns, ...settingsOfPartitions].map(propertyOf),
  ]);
  const answeredAt = performance.now();
  return rows.map((row) => ({ row, answeredAt }));
}

const STATUSES = () => `
  SELECT date_trunc('milliseconds', clock_timestamp()) AS now,
         (${LOCK_IN_FORCE})::text AS token,
         ${EVICTION_HOLDS({ partition: 'run.partition', enforcement: 'run.enforcement' })} AS holds,
         (SELECT coalesce(max(version), 0) FROM events e WHERE e.stream = run.stream) AS operator_events,
         (SELECT coalesce(max(version), 0) FROM events e WHERE e.stream = run.answers) AS answer_events,
         (SELECT coalesce(json_object_agg(path, guaranteed), '{}') FROM queues q
          WHERE q.partition = run.partition AND path = ANY (run.queues) AND guaranteed IS NOT NULL) AS guaranteed,
         (SELECT coalesce(json_object_agg(path, cluster_share ->> 'guaranteed'), '{}') FROM queues q
          WHERE q.partition = run.partition AND path = ANY (run.queues) AND cluster_share ->> 'guaranteed' IS NOT NULL) AS shares,
         ARRAY(SELECT s.queue FROM clocks s
               WHERE s.partition = run.partition AND s.queue = ANY (run.queues) AND s.running_enforcement IS NOT NULL) AS running,
         (SELECT coalesce(json_agg(json_build_object('path', path, 'properties', properties)), '[]')
          FROM (SELECT path, (SELECT jsonb_object_agg(key, value) FROM json_each(q.properties) WHERE key = ANY ($7::text[])) AS configured,
                       (SELECT jsonb_object_agg('curtail.' || setting, value) FROM setting_overrides o
                        WHERE o.partition = q.partition AND o.queue = q.path) AS overrides
                FROM queues q WHERE q.partition = run.partition AND path = ANY (run.queues)) AS set,
               LATERAL (SELECT coalesce(configured, '{}') || coalesce(overrides, '{}') AS properties) AS own
          WHERE coalesce(configured, overrides) IS NOT NULL) AS settings,
         (SELECT json_build_object('max', max, 'share', cluster_share ->> 'max', 'delayMs', delay_ms) FROM queues q
          WHERE q.partition = run.partition AND q.path = run.queue) AS "limit"
  FROM (SELECT partition, queue, enforcement, stream, answers, nr, ARRAY(SELECT json_array_elements_text(of)) AS queues
        FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::json[])
          WITH ORDINALITY AS request (partition, queue, enforcement, stream, answers, of, nr)) AS run
  ORDER BY nr`;
