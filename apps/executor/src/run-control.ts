import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CLUSTER_DRIVER, type ClusterReader } from '#clusters';
import {
  chainFromRoot,
  InputError,
  type Limit,
  type QueueWithProperties,
  type Resources,
  resolveShares,
  settingsOfPartitions,
  settingsOfQueue,
  settingsOfRuns,
} from '#contracts';
import { type Ceilings, modeInForce, type RunControl } from '#enforcement';
import { Batcher, type Tx } from '#event-store';
import { type Holds, stopsAt } from '#holds';
import type { OpenRun } from '#runs';
import { readStatuses, type StatusRequest, type StatusRow } from './run-statements.js';
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
export interface StatusOfControl {
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

export interface StatusOptions {
  /** The run itself is judged by a share of the cluster, whatever is in force (`followsCluster`). */
  followsCluster?: boolean;
  /** The transaction to read in; absent: read together with the requests of other runs. */
  tx?: Tx;
}

/**
 * Reads everything that controls a run and may change between two kills: the lock, the kill switches, the mode, the guarantees.
 */
@Injectable()
export class ReadRunControl {
  private readonly together = new Batcher((requests: StatusRequest[]) => readStatuses(this.db, requests));

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
  ): Promise<StatusOfControl> {
    const request = { run, queues };
    const { row, answeredAt } = tx
      ? (await readStatuses(tx, [request]))[0]!
      : await this.together.ask(request);
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
export function controlOf(
  { control, holds, now }: StatusOfControl,
  openedAt: string | undefined,
): RunControl {
  const openedMs = openedAt === undefined ? undefined : Date.parse(openedAt);
  return { ...control, stops: stopsAt(holds, now().getTime(), openedMs) };
}

function guaranteedIn(row: StatusRow, size: Resources): Map<string, Resources> {
  const amounts = new Map(Object.entries(row.guaranteed));
  for (const [path, guaranteed] of Object.entries(row.shares)) {
    const resolved = resolveShares({ max: null, guaranteed: null, clusterShare: { guaranteed } }, size);
    if (resolved.guaranteed !== null) amounts.set(path, resolved.guaranteed);
  }
  return amounts;
}

function limitIn({ limit }: StatusRow): Limit {
  return { max: limit?.max ?? null, ...(limit?.share != null && { maxShare: limit.share }) };
}
