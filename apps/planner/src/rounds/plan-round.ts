import { CLUSTER_READER, type ClusterReader, policiesInForce, takeRoundSnapshot } from '@curtail/clusters';
import { InputError, readIntraQueueSettings } from '@curtail/contracts';
import { changesAnything, judgeRound } from '@curtail/enforcement';
import { planIntraQueue, readSnapshot } from '@curtail/planning';
import { type Round, readNotes, settleRound } from '@curtail/rounds';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PLANNER_SETTINGS, type PlannerSettings } from '../planner-settings.js';
import { recordRound } from './record-round.js';
import { digestOf, type MadeRound } from './round-events.js';
import { settleFailed, standingOf } from './round-standing.js';

export const roundPolicy = 'intra-queue';

const shownEveryMs = 60_000;

export type RoundResult = 'recorded' | 'unchanged' | 'failed';

/**
 * Plans one round: all leaves of the partition. Most rounds find what the one before found, so the log gets only those from
 * which something follows: somebody is told, killed or forgotten. Of victims for whom nothing can follow, since a switch
 * holds them back, each other set is shown once, and one a minute at the most. Of every other round only the last is kept, in the row of the rounds.
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
      const failure = { code: 'snapshot-unusable', message: `${error.path}: ${error.message}` };
      if (await settleFailed(this.db, round, failure, seconds())) {
        this.log.warn('Could not plan a round.', {
          partition: round.partition,
          policy: round.policy,
          reason: failure.message,
        });
      }
      return 'failed';
    }
  }

  private async make(partition: string): Promise<MadeRound> {
    const settings = (await policiesInForce(this.db, partition)).get(partition)?.[roundPolicy] ?? {
      enabled: false,
    };
    const { mostAllocations } = this.settings;
    const snapshot = await takeRoundSnapshot(this.db, this.cluster, { partition, mostAllocations });
    const planning = performance.now();
    const made = planIntraQueue(readSnapshot(snapshot), { policy: roundPolicy }, settings);
    const planSeconds = Math.round((performance.now() - planning) * 1000) / 1e6;
    return { snapshot, ...made, settings, configured: settings, planSeconds };
  }

  private async settle(round: Round, made: MadeRound, seconds: () => number): Promise<RoundResult> {
    const { policy, partition } = round;
    const standing = await standingOf(this.db, partition, this.settings.defaultMode);
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
    const isShown = held !== null && held !== round.shown && mayShow(round, standing.now);
    const isRecorded = changesAnything(judged) || isShown;
    const shown = isRecorded || held === null ? held : round.shown;
    const settled = { seconds: seconds(), plannedAt: standing.now, plan: toldOf(made), shown };
    if (!isRecorded) {
      await this.db.transaction((tx) => settleRound(tx, round, { ...settled, leaseMs: null }));
      return 'unchanged';
    }
    const { snapshotRetentionDays } = this.settings;
    await recordRound(this.db, round, made, { ...settled, mode: standing.mode, snapshotRetentionDays });
    return 'recorded';
  }
}

/** Where a restless partition is only observed, each round would find others. */
export function mayShow({ shownAt }: Round, now: Date): boolean {
  return shownAt === null || now.getTime() - shownAt.getTime() >= shownEveryMs;
}

/** What people are told of the last round, whether it is in the log or not. */
function toldOf({ plan, notices }: MadeRound): object {
  const { outcome, target, claimed, shortfall, shares, victims, observeOnly } = plan;
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
