import { isDeepStrictEqual } from 'node:util';
import {
  CLUSTER_READER,
  type ClusterReader,
  policiesInForce,
  takeFairShareSnapshot,
} from '@curtail/clusters';
import { type PolicySettings } from '@curtail/configuration';
import { type FairShareObservation, type FairShareReason, InputError, type Plan } from '@curtail/contracts';
import { stopOf } from '@curtail/enforcement';
import { databaseTime, type Tx } from '@curtail/event-store';
import { planAndObserveFairShare, readFairShareSnapshot } from '@curtail/planning';
import {
  backOffTimer,
  endOutdatedRounds,
  forgetClocks,
  keepView,
  type Round,
  readLeftAlone,
  recordObservation,
  StaleObservation,
  settleRound,
  starvationTimer,
} from '@curtail/rounds';
import { clearTimers, setTimers } from '@curtail/timers';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PLANNER_SETTINGS, type PlannerSettings } from '../../planner-settings.js';
import { mayShow, type RoundResult } from '../plan-round.js';
import { recordRound } from '../record-round.js';
import { digestOf, type MadeRound } from '../round-events.js';
import { type RoundStanding, settleFailed, standingOf } from '../round-standing.js';
import { endOfBackOff } from './end-of-back-off.js';
import { withLeftAlone } from './left-alone.js';
import { shownStatuses } from './view.js';

const policy = 'fair-share';

/** A round with the plan as it was made to be looked at: with its statuses, whatever the settings say. */
interface Looked extends MadeRound {
  explained: Plan;
  /** Null where nothing was judged: then no clock changes. */
  observation: FairShareObservation | null;
}

/** The settings are others than those that a round was planned with, or the policy is off: it is planned once more. */
class SettingsChanged extends Error {}

/**
 * Plans one round of fair-share: the whole tree of the partition. What it finds of each pool, operation and node is the next
 * observation of their clocks (docs/reference/policies/fair-share.md §8.3), in the transaction that settles the round; so the next one
 * plans with it.
 *
 * Its plan goes into the log if it has victims, unless another one waits for an approval. Of victims who are all held back by a switch each other set is shown once, and one a minute at the most.
 */
@Injectable()
export class PlanFairShareRound {
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
      const settings = (await policiesInForce(this.db, round.partition)).get(round.partition)?.[policy];
      if (settings === undefined) return await this.forget(round, seconds());
      const standing = await standingOf(this.db, round.partition, this.settings.defaultMode);
      return await this.settle(
        round,
        standing,
        await this.look(round.partition, settings, standing),
        seconds,
      );
    } catch (error) {
      if (error instanceof SettingsChanged) return this.plan(round);
      const failure = failureOf(error);
      if (!failure) throw error;
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

  private async look(
    partition: string,
    configured: PolicySettings,
    { stops }: RoundStanding,
  ): Promise<Looked> {
    const { mostAllocations } = this.settings;
    const snapshot = await takeFairShareSnapshot(this.db, this.cluster, { partition, mostAllocations });
    // Behind the victims of open runs: who is turned down in between is then seen twice, never not at all.
    const leftAlone = await readLeftAlone(this.db, partition);
    const settings = withLeftAlone(configured, stops, leftAlone, snapshot);
    const planning = performance.now();
    const read = readFairShareSnapshot(snapshot);
    const {
      plan: explained,
      notices,
      observation,
    } = planAndObserveFairShare(read, { ...settings, explain: true });
    const planSeconds = Math.round((performance.now() - planning) * 1000) / 1e6;
    // What goes into the log is the plan of the settings as they are: `explain` adds these, and changes nothing else.
    const { spared: _, statuses: __, ...plain } = explained;
    return {
      snapshot,
      plan: settings.explain === true ? explained : plain,
      notices,
      explained,
      observation,
      settings,
      configured,
      planSeconds,
    };
  }

  private async settle(
    round: Round,
    standing: RoundStanding,
    made: Looked,
    seconds: () => number,
  ): Promise<RoundResult> {
    const { plan, snapshot } = made;
    const isHeld = plan.victims.every(({ queue }) => isHeldBack(queue, standing));
    const held = plan.victims.length > 0 && isHeld ? digestOf(plan.victims) : null;
    const isShown = held !== null && held !== round.shown && mayShow(round, standing.now);
    const isRecorded = plan.victims.length > 0 && (!isHeld || isShown) && !standing.awaitsApproval;
    const shown = isRecorded || held === null ? held : round.shown;
    const settled = { seconds: seconds(), plannedAt: standing.now, plan: toldOf(made), shown };
    const alongside = (tx: Tx) => this.takeIn(tx, round, made, isHeld);
    if (!isRecorded) {
      await this.db.transaction(async (tx) => {
        await settleRound(tx, round, { ...settled, leaseMs: null });
        await alongside(tx);
      });
      return 'unchanged';
    }
    const { snapshotRetentionDays } = this.settings;
    await recordRound(
      this.db,
      round,
      { ...made, snapshot },
      { ...settled, mode: standing.mode, snapshotRetentionDays, alongside },
    );
    return 'recorded';
  }

  private async takeIn(
    tx: Tx,
    round: Round,
    { snapshot, explained, observation, plan, settings, configured }: Looked,
    isHeld: boolean,
  ): Promise<void> {
    const { partition } = round;
    // Its end is decided with its clocks: what was looked at before that must not set them again.
    const inForce = (await policiesInForce(tx, partition)).get(partition)?.[policy];
    if (!isDeepStrictEqual(inForce, configured)) {
      throw new SettingsChanged();
    }
    if (!observation) return;
    await recordObservation(tx, { ...observation, partition, generation: round.round });
    const queueOf = new Map(snapshot.applications.map(({ id, queue }) => [id, queue]));
    const statuses = shownStatuses(explained.statuses ?? [], queueOf);
    await keepView(tx, partition, { round: round.round, takenAt: snapshot.takenAt, statuses });
    const dueAt = isHeld && plan.victims.length > 0 ? undefined : endOfBackOff(snapshot, plan, settings);
    const key = { kind: starvationTimer, partition, name: backOffTimer };
    if (dueAt === undefined) await clearTimers(tx, [key]);
    else await setTimers(tx, [{ ...key, generation: round.round, dueAt, state: 'pending' }]);
  }

  /** The policy was switched off. */
  private async forget(round: Round, seconds: number): Promise<RoundResult> {
    await this.db.transaction(async (tx) => {
      const plannedAt = await databaseTime(tx);
      await settleRound(tx, round, { leaseMs: null, seconds, plannedAt, shown: null });
      await endOutdatedRounds(tx, round.partition);
      await forgetClocks(tx, round.partition, plannedAt);
    });
    return 'unchanged';
  }
}

function failureOf(error: unknown): { code: string; message: string } | undefined {
  if (error instanceof InputError)
    return { code: 'snapshot-unusable', message: `${error.path}: ${error.message}` };
  if (error instanceof StaleObservation) return { code: 'stale-observation', message: error.message };
  return undefined;
}

function isHeldBack(queue: string, standing: RoundStanding): boolean {
  return standing.mode === 'observe' || stopOf(queue, standing) !== undefined;
}

/** What people are told of the last round, whether it is in the log or not. */
function toldOf({ plan, notices, snapshot }: MadeRound): object {
  const { outcome, target, claimed, shortfall, victims, starts, reasons = [] } = plan;
  const queueOf = new Map(snapshot.applications.map(({ id, queue }) => [id, queue]));
  const withQueue = (reason: FairShareReason) => {
    const queue = reason.kind === 'pool' ? reason.name : queueOf.get(reason.name);
    return reason.kind === 'node' || queue === undefined ? reason : { ...reason, queue };
  };
  return {
    outcome,
    target,
    claimed,
    shortfall,
    victims: victims.length,
    shares: [],
    starts: starts?.length ?? 0,
    reasons: reasons.slice(0, 1000).map(withQueue),
    notices,
  };
}
