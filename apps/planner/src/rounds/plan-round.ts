import { createHash } from 'node:crypto';
import { CLUSTER_READER, type ClusterReader, policiesInForce, takeRoundSnapshot } from '@curtail/clusters';
import {
  type ClusterSnapshot,
  type DomainEvent,
  InputError,
  type Plan,
  type PolicySettings,
  readIntraQueueSettings,
} from '@curtail/contracts';
import { changesAnything, judgeRound, type Stop } from '@curtail/enforcement';
import { append, digestOfPlan, packSnapshot, planStream, storeSnapshots } from '@curtail/event-store';
import { plan, readSnapshot } from '@curtail/planning';
import { lastFailure, type Round, readNotes, settleRound } from '@curtail/rounds';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PLANNER_SETTINGS, type PlannerSettings } from '../planner-settings.js';
import { usedIn } from './used-in.js';

export const roundPolicy = 'intra-queue';
/** A round is about all queues: its run and its events stand under this one. */
export const roundQueue = 'root';

/** How long the executor has to take a round over; then it renews that itself. */
const executorLeaseMs = 60_000;

export type RoundResult = 'recorded' | 'unchanged' | 'failed';

interface Made {
  snapshot: ClusterSnapshot;
  plan: Plan;
  settings: PolicySettings;
  planSeconds: number;
}

interface Standing {
  now: Date;
  mode: 'observe' | 'enforce';
  stops: Stop[];
}

/**
 * Plans one round: all leaves of the partition. Most rounds find what the one before found, so the log gets only those from
 * which something follows: somebody is told, killed or forgotten. Of victims for whom nothing can follow, since a switch
 * holds them back, each other set is shown once. Of every other round only the last is kept, in the row of the rounds.
 */
@Injectable()
export class PlanRound {
  private readonly log = new Logger('Planner');

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
    @Inject(PLANNER_SETTINGS) private readonly settings: PlannerSettings,
  ) {}

  /** @throws RoundLost if it went on without this process; then nothing is recorded. */
  async plan(round: Round): Promise<RoundResult> {
    const began = performance.now();
    const seconds = () => Math.round((performance.now() - began) * 1000) / 1e6;
    try {
      const made = await this.make(round.partition);
      return await this.settle(round, made, seconds);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      await this.fail(round, `${error.path}: ${error.message}`, seconds());
      return 'failed';
    }
  }

  private async make(partition: string): Promise<Made> {
    const settings = (await policiesInForce(this.db, partition)).get(partition)?.[roundPolicy] ?? {
      enabled: false,
    };
    const snapshot = await takeRoundSnapshot(this.db, this.cluster, partition);
    const planning = performance.now();
    const made = plan(readSnapshot(snapshot), { policy: roundPolicy }, settings);
    const planSeconds = Math.round((performance.now() - planning) * 1000) / 1e6;
    return { snapshot, plan: made, settings, planSeconds };
  }

  private async settle(round: Round, made: Made, seconds: () => number): Promise<RoundResult> {
    const { policy, partition } = round;
    const standing = await this.standing(partition);
    const { maxWaitBeforeKill } = readIntraQueueSettings(made.settings);
    const judged = judgeRound({
      round: round.round,
      takenAt: made.snapshot.takenAt,
      now: standing.now.toISOString(),
      victims: made.plan.victims,
      notes: await readNotes(this.db, { policy, partition }),
      maxWaitBeforeKillMs: maxWaitBeforeKill,
      observing: standing.mode === 'observe' || made.plan.observeOnly === true,
      stops: standing.stops,
    });
    const held = judged.held.length > 0 ? digestOf(judged.held) : null;
    const isRecorded = changesAnything(judged) || (held !== null && held !== round.shown);
    const settled = { seconds: seconds(), plannedAt: standing.now, plan: toldOf(made.plan), shown: held };
    if (!isRecorded) {
      await this.db.transaction((tx) => settleRound(tx, round, { ...settled, leaseMs: null }));
      return 'unchanged';
    }
    const packed = await packSnapshot(made.snapshot);
    await this.db.transaction(async (tx) => {
      const skipped = await settleRound(tx, round, { ...settled, leaseMs: executorLeaseMs });
      await storeSnapshots(tx, [packed], this.settings.snapshotRetentionDays);
      const at = new Date();
      await append(tx, [
        {
          stream: planStream(round.enforcement),
          partition,
          expectedVersion: 0,
          events: [
            startedEvent(round, skipped),
            computedEvent(round, made, packed.digest, standing.mode),
          ].map((event) => ({ event, at, key: roundQueue })),
        },
      ]);
    });
    return 'recorded';
  }

  /** The same reason is said once, not with every round. */
  private async fail(round: Round, message: string, seconds: number): Promise<void> {
    const { policy, partition } = round;
    const failure = { code: 'snapshot-unusable', message };
    const isKnown = (await lastFailure(this.db, round))?.message === message;
    if (!isKnown) this.log.warn(`the rounds of ${partition} cannot be planned: ${message}`);
    await this.db.transaction(async (tx) => {
      await settleRound(tx, round, {
        leaseMs: null,
        seconds,
        plannedAt: new Date(),
        failure,
        shown: round.shown,
      });
      if (isKnown) return;
      const event: DomainEvent = {
        name: 'RoundFailed',
        data: {
          partition,
          queue: roundQueue,
          policy,
          round: round.round,
          ...failure,
          notices: [failure],
        },
      };
      await append(tx, [
        {
          stream: planStream(round.enforcement),
          partition,
          expectedVersion: 0,
          events: [{ event, at: new Date(), key: roundQueue }],
        },
      ]);
    });
  }

  private async standing(partition: string): Promise<Standing> {
    const rows: { now: Date; mode: Standing['mode'] | null; stops: Stop[] }[] = await this.db.query(
      `SELECT now() AS now, (SELECT mode FROM partition_modes WHERE partition = $1) AS mode,
              (SELECT coalesce(json_agg(json_build_object('queue', nullif(queue, ''), 'by', set_by)), '[]')
               FROM kill_switches WHERE partition = $1) AS stops`,
      [partition],
    );
    const row = rows[0]!;
    return { ...row, mode: row.mode ?? this.settings.defaultMode };
  }
}

/** Not the order: the same allocations are the same set. */
function digestOf(victims: Plan['victims']): string {
  const names = victims.map(({ allocation, uid }) => `${allocation} ${uid ?? ''}`).sort();
  return createHash('sha256').update(names.join('\n')).digest('hex');
}

/** What people are told of the last round, whether it is in the log or not. */
function toldOf({
  outcome,
  target,
  claimed,
  shortfall,
  shares,
  victims,
  notices,
  observeOnly,
}: Plan): object {
  return {
    outcome,
    ...(observeOnly ? { observeOnly } : {}),
    target,
    claimed,
    shortfall,
    victims: victims.length,
    shares: shares.map(({ queue, releasable, target: of, claimed: given }) => ({
      queue,
      releasable,
      target: of,
      claimed: given,
    })),
    notices,
  };
}

function startedEvent(round: Round, skipped: number): DomainEvent<'RoundStarted'> {
  const { policy, partition, enforcement, fencingToken, dueAt, startedAt } = round;
  return {
    name: 'RoundStarted',
    data: {
      partition,
      queue: roundQueue,
      enforcement,
      policy,
      round: round.round,
      fencingToken,
      dueAt: dueAt.toISOString(),
      startedAt: startedAt.toISOString(),
      lateMs: Math.max(0, startedAt.getTime() - dueAt.getTime()),
      skipped,
    },
  };
}

function computedEvent(
  { partition, enforcement, fencingToken }: Round,
  { snapshot, plan: made, settings, planSeconds }: Made,
  snapshotDigest: string,
  mode: Standing['mode'],
): DomainEvent<'PlanComputed'> {
  return {
    name: 'PlanComputed',
    data: {
      partition,
      queue: roundQueue,
      enforcement,
      fencingToken,
      snapshotDigest,
      trigger: { policy: roundPolicy },
      settings: { ...settings },
      planDigest: digestOfPlan(made),
      plan: made,
      takenAt: snapshot.takenAt,
      mode,
      max: null,
      ...usedIn(snapshot, new Set(made.victims.map(({ queue }) => queue))),
      planSeconds,
    },
  };
}
