import { isDeepStrictEqual } from 'node:util';
import { policiesInForce } from '#clusters';
import type { PolicySettings } from '#configuration';
import type {
  ClusterSnapshot,
  FairShareObservation,
  FairShareReason,
  FairShareStatus,
  Plan,
  ShownElement,
} from '#contracts';
import type { RoundPlanView } from '#contracts/api';
import { coveringStop, toInstant } from '#enforcement';
import type { Tx } from '#event-store';
import { DecidingRules, planAndObserveFairShare, readSnapshot } from '#planning';
import { clearTimers, setTimers } from '#timers';
import {
  type MadeRound,
  type PlannedRound,
  type PlanningTerms,
  type RoundsOfPartition,
  SettingsChanged,
} from '../planned-round.js';
import type { Round } from '../round-table.js';
import { keepView, readExemptWork } from './fair-share-tables.js';
import { backOffTimer, recordObservation, starvationTimer } from './starvation-clocks.js';
import { takeFairShareSnapshot } from './take-snapshot.js';
import { withExemptWork } from './with-exempt-work.js';

/** A planned round, with a further plan for display, which has the statuses whatever the settings are. */
interface Observed extends MadeRound {
  explained: Plan;
  /** Null where the snapshot was not evaluated: then no clock changes. */
  observation: FairShareObservation | null;
}

/**
 * Plans the whole tree of the partition. The findings of a round about each pool, operation and node are the next
 * observation of their clocks (docs/reference/policies/fair-share.md §8.3), in the transaction that settles the round;
 * so the next one plans with it.
 *
 * The plan is logged if it has victims, unless another one waits for an approval.
 */
export async function planRound(round: Round, terms: PlanningTerms): Promise<PlannedRound> {
  const state = await terms.state();
  const observed = await observe(round.partition, terms, state);
  const { explained: _, observation: __, ...made } = observed;
  const { victims } = made.plan;
  const isHeld = victims.every(({ queue }) => isHeldBack(queue, state));
  return {
    ...made,
    state,
    follows: victims.length > 0 && !isHeld,
    held: isHeld ? victims : [],
    isBehind: state.awaitsApproval,
    summary: summaryOf(made),
    alongside: (tx) => takeIn(tx, round, observed, isHeld),
  };
}

async function observe(
  partition: string,
  { db, cluster, configured, mostAllocations }: PlanningTerms,
  { stops }: RoundsOfPartition,
): Promise<Observed> {
  const snapshot = await takeFairShareSnapshot(db, cluster, { partition, mostAllocations });
  // Read after the victims of open runs: a rejected victim is then seen twice rather than missed.
  const exempt = await readExemptWork(db, partition);
  const settings = withExemptWork(configured, stops, exempt, snapshot);
  const planning = performance.now();
  const read = readSnapshot(snapshot);
  const rules = new DecidingRules();
  const { plan: explained, observation } = planAndObserveFairShare(
    read,
    { ...settings, explain: true },
    rules,
  );
  const planSeconds = Math.round((performance.now() - planning) * 1000) / 1e6;
  // The log gets the plan with the configured settings: `explain` adds these fields and changes nothing else.
  const { spared: _, statuses: __, ...plain } = explained;
  return {
    snapshot,
    plan: settings.explain === true ? explained : plain,
    rules: rules.runs,
    explained,
    observation,
    settings,
    configured,
    planSeconds,
  };
}

async function takeIn(
  tx: Tx,
  { policy, partition, round }: Round,
  { snapshot, explained, observation, plan, settings, configured }: Observed,
  isHeld: boolean,
): Promise<void> {
  // The end of a run changes the clocks: an observation from before it must not set them again.
  const inForce = (await policiesInForce(tx, partition)).get(partition)?.[policy];
  if (!isDeepStrictEqual(inForce, configured)) {
    throw new SettingsChanged(`the settings of ${policy} in ${partition} changed while a round was planned`);
  }
  if (!observation) return;
  await recordObservation(tx, { ...observation, partition, generation: round });
  const queueOf = new Map(snapshot.applications.map(({ id, queue }) => [id, queue]));
  const statuses = shownStatuses(explained.statuses ?? [], queueOf);
  await keepView(tx, partition, { round, takenAt: snapshot.takenAt, statuses });
  const dueAt = isHeld && plan.victims.length > 0 ? undefined : endOfBackOff(snapshot, plan, settings);
  const key = { kind: starvationTimer, partition, name: backOffTimer };
  if (dueAt === undefined) await clearTimers(tx, [key]);
  else await setTimers(tx, [{ ...key, generation: round, dueAt, state: 'pending' }]);
}

function isHeldBack(queue: string, state: RoundsOfPartition): boolean {
  return state.mode === 'observe' || coveringStop(queue, state.stops) !== undefined;
}

function summaryOf({ plan, snapshot }: MadeRound): RoundPlanView {
  const { outcome, target, claimed, shortfall, victims, starts, reasons = [], notices } = plan;
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

/**
 * If an element still starves: when the first node leaves its back-off, counting back-offs that this plan causes. A
 * back-off may be so long that its end is beyond the last date.
 */
export function endOfBackOff(
  { takenAt, nodes = [] }: Pick<ClusterSnapshot, 'takenAt' | 'nodes'>,
  { reasons = [], starts = [] }: Pick<Plan, 'reasons' | 'starts'>,
  { preemptiveSchedulingBackoff }: PolicySettings,
): Date | undefined {
  if (!reasons.some(({ cause, answered }) => !answered && cause.endsWith('starvation'))) return undefined;
  const backOffMs = typeof preemptiveSchedulingBackoff === 'number' ? preemptiveSchedulingBackoff : 5000;
  const at = Date.parse(takenAt);
  const used = nodes.flatMap(({ properties }) => {
    const last = properties?.lastPreemptiveSchedulingAt;
    return typeof last === 'string' ? [Math.min(Date.parse(last), at)] : [];
  });
  if (starts.some(({ victims }) => victims.length > 0)) used.push(at);
  const ends = used.map((last) => last + backOffMs + 1).filter((end) => end > at);
  const first = ends.reduce((earliest, end) => Math.min(earliest, end), Number.POSITIVE_INFINITY);
  return ends.length === 0 ? undefined : new Date(toInstant(first));
}

/** The maximum number of operations kept for display; if there are more, those below their fair share come first. */
const mostOperations = 1000;

/** Pools by path, then operations by id, as the plan has them. */
function shownStatuses(
  statuses: readonly FairShareStatus[],
  queueOf: ReadonlyMap<string, string>,
): ShownElement[] {
  const shown = statuses.map(
    (status): ShownElement => ({
      kind: status.kind,
      name: status.name,
      queue: status.kind === 'pool' ? status.name : (queueOf.get(status.name) ?? 'root'),
      fairShare: dominant(status.fairShare),
      usageShare: dominant(status.usageShare),
      demandShare: dominant(status.demandShare),
      satisfaction: status.satisfaction,
      status: status.status,
      starvation: status.starvation,
      belowFairShareSince: status.belowFairShareSince,
      starvingSince: status.starvingSince,
      effective: status.effective,
    }),
  );
  const operations = shown.filter(({ kind }) => kind === 'operation');
  if (operations.length <= mostOperations) return shown;
  const kept = new Set(
    [...operations]
      .sort((a, b) => Number(a.status === 'normal') - Number(b.status === 'normal'))
      .slice(0, mostOperations),
  );
  return shown.filter((status) => status.kind === 'pool' || kept.has(status));
}

const dominant = (shares: FairShareStatus['fairShare']) => Math.max(0, ...Object.values(shares));
