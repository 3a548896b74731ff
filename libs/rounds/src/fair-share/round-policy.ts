import type { ClusterDriver } from '#clusters';
import { BrokenInvariant } from '#contracts';
import {
  addMs,
  coveringStop,
  hasOutcome,
  openRun,
  type PlannedVictim,
  type RunState,
  victimNotifiedEvent,
  victimsWith,
} from '#enforcement';
import type { Tx } from '#event-store';
import { holdOwnLock, noteApproved } from '#runs';
import { announcementOf, countAsLeaving } from '../count-as-leaving.js';
import type { RoundPolicy } from '../round-policy.js';
import { releaseRound } from '../round-table.js';
import {
  exemptWork,
  listExemptions,
  notePreemptiveStarts,
  trimPreemptiveNodes,
} from './fair-share-tables.js';
import { liveNeed } from './live-need.js';
import { planRound } from './plan-round.js';
import { forgetClocks, starvationTimers, starvingGauge, timeLeft } from './starvation-clocks.js';
import { takeFairShareSnapshot } from './take-snapshot.js';

/**
 * The steps that only runs of fair-share have (docs/reference/policies/fair-share.md §12). Its victims have seconds to
 * finish, and the next rounds do not wait for that: the round ends once the run is opened. From then on the run holds a
 * lock of its own, and its victims count as leaving for every reader.
 */
export const fairShareRounds: RoundPolicy = {
  name: 'fair-share',
  takeSnapshot: takeFairShareSnapshot,
  plan: planRound,
  // All partitions with the policy share one interval (docs/reference/policies/fair-share.md).
  intervalMs: (settings, usualMs) => (settings === undefined ? undefined : usualMs),
  ownTimers: starvationTimers,
  ownGauge: starvingGauge,
  ownTrim: { table: 'preemptive_nodes', trim: trimPreemptiveNodes },
  exemptNow: listExemptions,
  switchedOff: forgetClocks,

  async open({ cluster }, run, terms, stops) {
    const { planned } = run.state;
    if (!planned) throw new BrokenInvariant('a round without a plan cannot be carried out');
    const { enforcement } = planned;
    const opened = openRun(run.state, { ...terms, ...timeLeft(planned, terms) });
    run.note([opened]);
    const { needsApproval = false, deadlineAt = terms.openedAt } = run.state.opened ?? {};
    const mayKill = terms.mode === 'enforce' && deadlineAt > terms.openedAt && !coveringStop('root', stops);
    let isOurs = false;
    await run.record({
      effect: async (tx) => {
        isOurs = await keepOwnLock(tx, enforcement, needsApproval);
        if (isOurs && mayKill && !needsApproval) await begin(tx, run.state);
      },
    });
    if (isOurs && mayKill && !needsApproval) await nominate(cluster, run.state);
  },

  /** Asks victims to finish: none is killed before the recorded time. */
  async notify({ cluster }, run, victims, at) {
    const partition = run.state.planned?.partition ?? '';
    const killAtOf = ({ gracePeriodMs = 0 }: PlannedVictim) =>
      new Date(addMs(at.toISOString(), gracePeriodMs));
    await cluster.announce?.(victims.map((victim) => announcementOf(partition, victim, killAtOf(victim))));
    const notifiedAt = at.toISOString();
    run.note(
      victims.map((victim) =>
        victimNotifiedEvent(run.state, victim.rank, { notifiedAt, killAt: killAtOf(victim).toISOString() }),
      ),
    );
    await run.record();
  },

  ownFacts: liveNeed,

  /**
   * A plan that waits for approval changes nothing: rounds continue to observe meanwhile, and record no plan of their own. Once it is
   * approved its victims count as leaving, before the first of them is asked to finish or killed.
   */
  async beforeKills({ db }, state) {
    const { planned, opened } = state;
    if (!planned || !opened?.needsApproval) return;
    await db.transaction(async (tx) => {
      if (!(await noteApproved(tx, planned.enforcement))) return;
      const going = planned.plan.victims.filter(({ rank }) => !hasOutcome(state, rank));
      await countAsLeaving(tx, state, going);
    });
  },

  /** The nodes of a plan that waited for approval are used only now. */
  async atEnd(_, state) {
    const { planned } = state;
    return async (tx) => {
      if (!planned) return;
      const isTurnedDown = state.rejected !== undefined || state.cancelled !== undefined;
      const evicted = new Set(idsOf(victimsWith(state, 'evicted')));
      const isEvicted = (allocation: string) => evicted.has(allocation);
      await notePreemptiveStarts(tx, planned.partition, nodesOf(state, isEvicted), planned.takenAt);
      await exemptWork(tx, planned.partition, {
        applications: isTurnedDown ? planned.plan.victims.map(({ application }) => application) : [],
        allocations: idsOf(victimsWith(state, 'failed')),
      });
    };
  },

  /** Victims that could not be evicted are exempt for a while. */
  async atGivingUp(tx, { partition }, settled) {
    const failed = settled.filter(({ outcome }) => outcome === 'failed');
    await exemptWork(tx, partition, { applications: [], allocations: idsOf(failed) });
  },
};

/** The victims leave from now on, and the nodes of their starts are used. */
async function begin(tx: Tx, state: RunState): Promise<void> {
  const { partition, plan, takenAt } = state.planned!;
  await countAsLeaving(tx, state, plan.victims);
  await notePreemptiveStarts(
    tx,
    partition,
    nodesOf(state, () => true),
    takenAt,
  );
}

/** A scheduler that supports it keeps the freed room for the starting operation. */
async function nominate(cluster: ClusterDriver, { planned, opened }: RunState): Promise<void> {
  if (!planned || !opened) return;
  const { partition, plan } = planned;
  const until = new Date(opened.deadlineAt);
  await cluster.nominate?.(
    (plan.starts ?? []).map(({ operation, node, resources }) => {
      return { partition, node, application: operation, resources, until };
    }),
  );
}

const idsOf = (victims: readonly { allocation: string }[]) => victims.map(({ allocation }) => allocation);

/** Nodes with a start that needs victims, one of which `counts`. */
function nodesOf({ planned }: RunState, counts: (allocation: string) => boolean): string[] {
  return (planned?.plan.starts ?? []).flatMap(({ node, victims }) => (victims.some(counts) ? [node] : []));
}

/**
 * Releases the round, and lets its run continue under its own token.
 *
 * @returns false if the round was lost, or planned with settings that are no longer in force: then the run stays
 * fenced.
 */
async function keepOwnLock(tx: Tx, enforcement: string, awaitsApproval: boolean): Promise<boolean> {
  const round = await releaseRound(tx, enforcement);
  return round !== undefined && holdOwnLock(tx, { enforcement, ...round }, { awaitsApproval });
}
