import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CLUSTER_READER, type ClusterReader, policiesInForce } from '#clusters';
import { type DomainEvent, InputError, ofPartition } from '#contracts';
import { append, databaseTime, planStream } from '#event-store';
import {
  endOutdatedRounds,
  lastFailure,
  type PlannedRound,
  partitionState,
  type Round,
  type RoundFailure,
  type RoundPolicy,
  roundPolicies,
  SettingsChanged,
  StaleObservation,
  settleRound,
} from '#rounds';
import { whyUnplanned } from '../failures/why-unplanned.js';
import { PLANNER_SETTINGS, type PlannerSettings } from '../settings/planner-settings.js';
import { digestOfVictims, recordRound, roundQueue } from './round-events.js';

const shownEveryMs = 60_000;

type RoundResult = 'recorded' | 'unchanged' | 'failed';

/**
 * Plans one round, and settles it. Its plan is logged if it changes anything, together with the tables that its policy
 * writes. If a switch holds all victims back, each different set of them is logged once, at most one a minute. Of every
 * other round only the last is kept, in the row of the rounds.
 */
@Injectable()
export class PlanRound {
  private readonly log = new Logger('Planner');

  constructor(
    private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
    @Inject(PLANNER_SETTINGS) private readonly settings: PlannerSettings,
  ) {}

  /** @throws RoundLost if another process took the round over; then nothing is recorded. */
  async plan(round: Round): Promise<RoundResult> {
    const began = performance.now();
    const seconds = () => Math.round((performance.now() - began) * 1000) / 1e6;
    try {
      const policy = roundPolicies.of(round.policy);
      const configured = (await policiesInForce(this.db, round.partition)).get(round.partition)?.[
        round.policy
      ];
      if (configured === undefined && !policy.plansSwitchedOff)
        return await this.settleUnplanned(round, policy, seconds());
      const { db, cluster } = this;
      const { mostAllocations } = this.settings;
      const made = await policy.plan(round, {
        db,
        cluster,
        mostAllocations,
        configured: configured ?? { enabled: false },
        state: () => partitionState(db, round.partition, this.settings),
      });
      return await this.settle(round, made, seconds);
    } catch (error) {
      if (error instanceof SettingsChanged) return this.plan(round);
      const failure = failureOf(error, round.partition);
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

  private async settle(round: Round, made: PlannedRound, seconds: () => number): Promise<RoundResult> {
    const { state, alongside, summary } = made;
    const held = made.held.length > 0 ? digestOfVictims(made.held) : null;
    const isShown = held !== null && held !== round.shown && mayShow(round, state.now);
    const isRecorded = (made.follows || isShown) && !made.isBehind;
    const shown = isRecorded || held === null ? held : round.shown;
    const settled = { seconds: seconds(), plannedAt: state.now, plan: summary, shown };
    if (!isRecorded) {
      await this.db.transaction(async (tx) => {
        await settleRound(tx, round, { ...settled, leaseMs: null });
        await alongside?.(tx);
      });
      return 'unchanged';
    }
    const { snapshotRetentionDays } = this.settings;
    await recordRound(this.db, round, made, {
      ...settled,
      mode: state.mode,
      snapshotRetentionDays,
      alongside,
    });
    return 'recorded';
  }

  /** The policy is off: the settings that the round would have been planned with are no longer in force. */
  private async settleUnplanned(round: Round, policy: RoundPolicy, seconds: number): Promise<RoundResult> {
    await this.db.transaction(async (tx) => {
      const plannedAt = await databaseTime(tx);
      await settleRound(tx, round, { leaseMs: null, seconds, plannedAt, shown: null });
      await endOutdatedRounds(tx, round.partition);
      await policy.switchedOff?.(tx, round.partition, plannedAt);
    });
    return 'unchanged';
  }
}

function failureOf(error: unknown, partition: string): RoundFailure | undefined {
  const about = ofPartition(partition);
  if (error instanceof InputError) {
    const { code, path } = error;
    return { ...whyUnplanned(error), about, fault: { code, path } };
  }
  if (error instanceof StaleObservation) return { code: error.code, message: error.message, about };
  return undefined;
}

/** In a busy partition that is only observed, each round would find others. */
function mayShow({ shownAt }: Round, now: Date): boolean {
  return shownAt === null || now.getTime() - shownAt.getTime() >= shownEveryMs;
}

/**
 * Settles a round that cannot be planned. The same reason is reported once, not with every round.
 *
 * @returns true if it is reported now.
 */
export async function settleFailed(
  db: DataSource,
  round: Round,
  failure: RoundFailure,
  seconds: number,
): Promise<boolean> {
  const { policy, partition } = round;
  const last = await lastFailure(db, round);
  const isKnown = last !== null && isSameFailure(last, failure);
  await db.transaction(async (tx) => {
    await settleRound(tx, round, {
      leaseMs: null,
      seconds,
      plannedAt: await databaseTime(tx),
      failure,
      shown: round.shown,
    });
    if (isKnown) return;
    const { code, message, about } = failure;
    const why = { code, message, about };
    const event: DomainEvent = {
      name: 'RoundFailed',
      data: { partition, queue: roundQueue, policy, round: round.round, ...why, notices: [why] },
    };
    await append(tx, [
      {
        stream: planStream(round.enforcement),
        partition,
        expectedVersion: 0,
        events: [{ event, key: roundQueue }],
      },
    ]);
  });
  return !isKnown;
}

/** Compares everything but the sentences, which have numbers that differ from round to round. */
function isSameFailure(a: RoundFailure, b: RoundFailure): boolean {
  const identity = ({ message: _, ...others }: RoundFailure) => others;
  return isDeepStrictEqual(identity(a), identity(b));
}
