import type { PolicySettings } from '#configuration';
import { InputError, type Plan, readIntraQueueSettings } from '#contracts';
import type { RoundPlanView } from '#contracts/api';
import { changesAnything, judgeRound } from '#enforcement';
import { DecidingRules, plan as planOf, readSnapshot } from '#planning';
import type { PlannedRound, PlanningTerms } from '../planned-round.js';
import type { Round } from '../round-table.js';
import { writeDepartures } from './departure-table.js';
import { readNotes } from './notes.js';
import { takeInQueueInput } from './take-snapshot.js';

/**
 * Plans all leaves of the partition. Most rounds find the same as the one before, so only those that change something
 * are logged: an owner is notified, a victim killed or forgotten.
 */
export async function planRound(
  { policy, partition, round }: Round,
  { db, cluster, configured, mostAllocations, state: readState }: PlanningTerms,
): Promise<PlannedRound> {
  const { maxWaitBeforeKill, monitoringInterval } = readIntraQueueSettings(configured);
  const { snapshot, departures } = await takeInQueueInput(
    db,
    cluster,
    { partition, mostAllocations },
    monitoringInterval,
  );
  const planning = performance.now();
  const rules = new DecidingRules();
  const plan = planOf(readSnapshot(snapshot), { policy: 'intra-queue' }, configured, rules);
  const planSeconds = Math.round((performance.now() - planning) * 1000) / 1e6;
  const state = await readState();
  const judged = judgeRound({
    round,
    takenAt: snapshot.takenAt,
    now: state.now.toISOString(),
    victims: plan.victims,
    notes: await readNotes(db, { policy, partition }),
    maxWaitBeforeKillMs: maxWaitBeforeKill,
    observing: state.mode === 'observe' || plan.observeOnly === true,
    stops: state.stops,
  });
  return {
    snapshot,
    plan,
    rules: rules.runs,
    settings: configured,
    configured,
    planSeconds,
    state,
    follows: changesAnything(judged),
    held: judged.held,
    summary: summaryOf(plan),
    alongside: (tx) => writeDepartures(tx, partition, departures.before, departures.after),
  };
}

function summaryOf(plan: Plan): RoundPlanView {
  const { outcome, target, claimed, shortfall, shares, victims, observeOnly, notices } = plan;
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

/** The interval of rounds in milliseconds; undefined if the configuration does not name the policy, or switches it off. */
export function monitoringIntervalMs(settings: PolicySettings | undefined): number | undefined {
  if (settings === undefined) return undefined;
  try {
    const { enabled, monitoringInterval } = readIntraQueueSettings(settings);
    return enabled ? monitoringInterval : undefined;
  } catch (error) {
    // The settings were validated when they were saved, perhaps by another version. Unreadable ones start no rounds.
    if (!(error instanceof InputError)) throw error;
    return undefined;
  }
}
