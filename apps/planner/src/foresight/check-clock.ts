import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CLUSTER_READER, type ClusterReader, planningVersions, takePlanningSnapshot } from '#clusters';
import {
  careProperties,
  clockTrigger,
  InputError,
  isWithin,
  type QueueWithProperties,
  type SnapshotQueue,
  settingsOfPlans,
  settingsOfQueue,
  totalOfAllocations,
} from '#contracts';
import {
  approvalReason,
  type CalledOff,
  callOff,
  coveringStop,
  decideForesight,
  type Foresight,
  type ForesightCheck,
  heldClock,
  nothingForeseen,
  observedOnly,
  type PendingRun,
  switchedOff,
  toInstant,
} from '#enforcement';
import { heldBy } from '#holds';
import { DecidingRules, plan, readSnapshot } from '#planning';
import { FORESIGHT_SETTINGS, type ForesightSettings } from '../settings/planner-settings.js';
import {
  type CheckResult,
  type ClockNow,
  clockNow,
  endOfClock,
  type NextCheck,
  readForesight,
  saveCheck,
  type TakenClock,
} from './foresight-table.js';
import { plannedOwners } from './planned-owners.js';

/** A view of the cluster that could not be planned is tried again after this time. */
export const retrySeconds = 30;
/** The last check before the clock is due. */
export const lastCheckSeconds = 60;

/** What a check finds: the plan that would be made now, or why there is none. */
type Found =
  | { check: ForesightCheck; planned: string | undefined }
  | { calledOff: CalledOff }
  | { fault: string };

/**
 * Checks what the run of one clock would evict if it were due now, compares that with what owners know, and records the difference as
 * events. docs/how-to/advance-notice.md
 */
@Injectable()
export class CheckClock {
  constructor(
    private readonly db: DataSource,
    @Inject(CLUSTER_READER) private readonly cluster: ClusterReader,
    @Inject(FORESIGHT_SETTINGS) private readonly settings: ForesightSettings,
  ) {}

  /** @returns why no plan could be made, a sentence; undefined: nothing was wrong. */
  async check(taken: TakenClock): Promise<string | undefined> {
    const { db } = this;
    const known = await readForesight(db, taken);
    const clock = await clockNow(db, taken, this.settings);
    const pending = clock.state?.pending;
    const ended = await this.endOf(taken, known, pending);
    const stillKnown = ended ? nothingForeseen : known;
    const before = ended?.events ?? [];
    if (!pending || pending.suspended) {
      const held = pending && heldClock(taken.partition, coveringStop(taken.queue, clock.holds.stops));
      const events = held ? callOff(taken, stillKnown, held) : [];
      await saveCheck(db, taken, { events: [...before, ...events], after: nothingForeseen }, undefined);
      return undefined;
    }
    const dueAt = this.dueAt(taken.queue, clock, pending);
    const found = await this.find(taken, clock, pending, dueAt);
    const { events, after, more } = resultOf(taken, stillKnown, found);
    const result = { events: [...before, ...events], after, ...(more !== undefined && { more }) };
    await saveCheck(db, taken, result, this.next(pending, found, dueAt, clock.now));
    return 'fault' in found ? found.fault : undefined;
  }

  /** The events of a clock that has ended since; undefined: it is the one that owners know, or they know of none. */
  private async endOf(
    taken: TakenClock,
    known: Foresight,
    pending: PendingRun | undefined,
  ): Promise<Pick<CheckResult, 'events'> | undefined> {
    if (known.enforcement === undefined || known.enforcement === pending?.enforcement) return undefined;
    const why = await endOfClock(this.db, taken, known.enforcement);
    return { events: why ? callOff(taken, known, why) : [] };
  }

  /** A clock that falls due in a freeze starts its run at the end of that. */
  private dueAt(queue: string, { holds, now }: ClockNow, pending: PendingRun): string {
    const dueMs = Date.parse(pending.dueAt);
    const { frozen } = heldBy(queue, holds, now.getTime(), dueMs);
    return frozen && Date.parse(frozen.until) > dueMs ? frozen.until : pending.dueAt;
  }

  private async find(
    { partition, queue }: TakenClock,
    clock: ClockNow,
    pending: PendingRun,
    dueAt: string,
  ): Promise<Found> {
    if (this.isOff(queue, clock.chain)) return { calledOff: switchedOff(queue) };
    if (clock.observed) return { calledOff: observedOnly(partition) };
    try {
      return await this.plan(partition, queue, clock, pending, dueAt);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return { fault: error.sentence };
    }
  }

  private isOff(queue: string, chain: Iterable<QueueWithProperties>): boolean {
    const installation: Pick<ForesightSettings, 'foresight'> = this.settings;
    if (installation.foresight === 'off') return true;
    return settingsOfQueue(['foresight'], installation, chain, queue).foresight === 'off';
  }

  /** @throws InputError if the cluster is not known, or cannot be planned. */
  private async plan(
    partition: string,
    queue: string,
    { state, holds: { stops } }: ClockNow,
    { enforcement }: PendingRun,
    dueAt: string,
  ): Promise<Found> {
    const { policy, mostAllocations, mostVictims, approveAboveVictims, approveAbovePercent } = this.settings;
    const nodeAware = policy.nodeAware ?? false;
    // Before the snapshot: what changes in between has another version at the next check.
    const versions = await planningVersions(this.db, this.cluster, {
      partition,
      queues: [queue],
      nodeAware,
    });
    const snapshot = await takePlanningSnapshot(this.db, this.cluster, {
      partition,
      queue,
      mostAllocations,
      nodeAware,
      ownerBudgets: policy.ownerBudgets,
      ...(state && { fired: state.values }),
    });
    const rules = new DecidingRules();
    const made = plan(
      readSnapshot(snapshot),
      clockTrigger(queue),
      {
        ...settingsOfQueue(settingsOfPlans, policy, snapshot.queues, queue),
        quotaPreemptionEnabled: true,
      },
      rules,
    );
    if (made.victims.length > mostVictims) {
      throw new InputError(
        'victims',
        `${queue} would have ${made.victims.length}, and a run may have ${mostVictims}`,
      );
    }
    const stopped = new Set<string>();
    const owners = plannedOwners(snapshot, made, rules.runs, ({ queue: of, application }) => {
      const isSpared = coveringStop(of, stops) !== undefined;
      if (isSpared) stopped.add(application);
      return isSpared;
    });
    const limits = settingsOfQueue(
      ['approveAboveVictims', 'approveAbovePercent'],
      { approveAboveVictims, approveAbovePercent },
      snapshot.queues,
      queue,
    );
    const within = snapshot.allocations.filter(({ queue: of }) => isWithin(of, queue));
    const terms = { ...limits, allocations: within.length, usage: totalOfAllocations(within) };
    const check: ForesightCheck = {
      enforcement,
      dueAt,
      owners,
      stopped,
      checkedAt: toInstant(Date.parse(snapshot.takenAt)),
      needsApproval: approvalReason(made.victims, terms) !== undefined,
      isAbove: made.outcome !== 'not-needed',
      present: new Set(snapshot.allocations.map(({ application }) => application)),
    };
    const planned = dependsOnTime(policy, snapshot.queues) ? undefined : versions.get(queue);
    return { check, planned };
  }

  private next({ enforcement }: PendingRun, found: Found, dueAt: string, now: Date): NextCheck {
    if ('fault' in found) return { enforcement, fault: found.fault, inSeconds: retrySeconds };
    const { foresightSeconds } = this.settings;
    const untilLast = (Date.parse(dueAt) - now.getTime()) / 1000 - lastCheckSeconds;
    const inSeconds = untilLast > 0 ? Math.min(foresightSeconds, untilLast) : foresightSeconds;
    if (!('check' in found)) return { enforcement, inSeconds, checkedAt: null };
    return { enforcement, inSeconds, checkedAt: found.check.checkedAt, planned: found.planned };
  }
}

/** What owners know stays as it is while the cluster is not known. */
function resultOf(taken: TakenClock, known: Foresight, found: Found): CheckResult {
  if ('check' in found) return decideForesight(taken, known, found.check);
  if ('calledOff' in found) {
    return { events: callOff(taken, known, found.calledOff), after: nothingForeseen, more: 0 };
  }
  return { events: [], after: known };
}

/** Whether the same work may give another plan later: with minimum run times, and budgets within a time. */
const dependsOnTime = (
  { minRunSeconds, ownerBudgets }: ForesightSettings['policy'],
  queues: readonly SnapshotQueue[],
): boolean =>
  (minRunSeconds ?? 0) > 0 ||
  (ownerBudgets ?? []).length > 0 ||
  queues.some(
    ({ properties = {} }) => careProperties.minRun in properties || 'curtail.ownerBudgets' in properties,
  );
