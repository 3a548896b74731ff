import { CLUSTER_DRIVER, type ClusterDriver } from '@curtail/clusters';
import {
  addMs,
  hasOutcome,
  notifiesInOneRound,
  type OpeningTerms,
  openRun,
  type PlannedVictim,
  type RunState,
  type Stop,
  stopOf,
  victimNotified,
  victimsWith,
} from '@curtail/enforcement';
import type { Tx } from '@curtail/event-store';
import { leaveAlone, notePreemptiveStarts, releaseRound, releaseRounds } from '@curtail/rounds';
import { holdOwnLock, noteApproved } from '@curtail/runs';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { RunLog } from '../run-log.js';
import { announcementOf } from './announcement.js';
import { countAsLeaving } from './count-as-leaving.js';
import { timeLeft } from './time-left.js';

/**
 * What a run of fair-share does beside what every run does (docs/reference/policies/fair-share.md §12). Its victims have seconds to
 * finish, and the next rounds are not to wait for that: the round is over once the run is opened. From then on the run holds a
 * lock of its own, and its victims count as leaving, whoever looks.
 */
@Injectable()
export class FairShareSteps {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(CLUSTER_DRIVER) private readonly cluster: ClusterDriver,
  ) {}

  async open(run: RunLog, terms: OpeningTerms, stops: readonly Stop[]): Promise<void> {
    const { planned } = run.state;
    if (!planned) throw new Error('a round without a plan cannot be carried out');
    const { enforcement } = planned;
    const opened = openRun(run.state, { ...terms, ...timeLeft(planned, terms) });
    run.note([opened]);
    const { needsApproval = false, deadlineAt = terms.openedAt } = run.state.opened ?? {};
    const mayKill = terms.mode === 'enforce' && deadlineAt > terms.openedAt && !stopOf('root', { stops });
    let isOurs = false;
    await run.record({
      effect: async (tx) => {
        isOurs = await keepOwnLock(tx, enforcement, needsApproval);
        if (isOurs && mayKill && !needsApproval) await this.begin(tx, run.state);
      },
    });
    if (isOurs && mayKill && !needsApproval) await this.nominate(run.state);
  }

  /** The victims leave from now on, and the nodes of their starts are used. */
  private async begin(tx: Tx, state: RunState): Promise<void> {
    const { partition, plan, takenAt } = state.planned!;
    await countAsLeaving(tx, state, plan.victims);
    await notePreemptiveStarts(
      tx,
      partition,
      nodesOf(state, () => true),
      takenAt,
    );
  }

  /**
   * A plan that waits for its approval changes nothing: rounds go on to look meanwhile, and record none of their own. Once it is
   * approved its victims count as leaving, before the first of them is asked or killed.
   */
  async goOn({ state }: RunLog): Promise<void> {
    const { planned, opened } = state;
    if (!planned || !opened?.needsApproval || notifiesInOneRound(state)) return;
    await this.db.transaction(async (tx) => {
      if (!(await noteApproved(tx, planned.enforcement))) return;
      const going = planned.plan.victims.filter(({ rank }) => !hasOutcome(state, rank));
      await countAsLeaving(tx, state, going);
    });
  }

  /** A scheduler that can keeps the room for whom it is freed. */
  private async nominate({ planned, opened }: RunState): Promise<void> {
    if (!planned || !opened) return;
    const { partition, plan } = planned;
    const until = new Date(opened.deadlineAt);
    await this.cluster.nominate?.(
      (plan.starts ?? []).map(({ operation, node, resources }) => {
        return { partition, node, application: operation, resources, until };
      }),
    );
  }

  /**
   * Asks the owners to finish, then records that they were asked. A crash in between asks them twice, and never kills anybody
   * before the time that is on record.
   */
  async ask(run: RunLog, victims: readonly PlannedVictim[], askedAt: Date): Promise<void> {
    const partition = run.state.planned?.partition ?? '';
    const killAtOf = ({ gracePeriodMs = 0 }: PlannedVictim) =>
      new Date(addMs(askedAt.toISOString(), gracePeriodMs));
    await this.cluster.announce?.(
      victims.map((victim) => announcementOf(partition, victim, killAtOf(victim))),
    );
    const notifiedAt = askedAt.toISOString();
    run.note(
      victims.map((victim) =>
        victimNotified(run.state, victim.rank, { notifiedAt, killAt: killAtOf(victim).toISOString() }),
      ),
    );
    await run.record();
  }

  /** What the end of a run changes that was not loaded: who could not be evicted is left alone for a while. */
  async leaveGivenUp(
    tx: Tx,
    partition: string,
    failed: readonly Pick<PlannedVictim, 'allocation'>[],
  ): Promise<void> {
    const allocations = failed.map(({ allocation }) => allocation);
    await leaveAlone(tx, partition, { applications: [], allocations });
  }

  /** What the end of the run changes beside the log: of a plan that waited for approval the nodes are used only now. */
  effectOfEnd({ state }: RunLog): (tx: Tx) => Promise<void> {
    const { planned } = state;
    return async (tx) => {
      if (!planned) return;
      const isTurnedDown = state.rejected !== undefined || state.cancelled !== undefined;
      const evicted = new Set(idsOf(victimsWith(state, 'evicted')));
      const isEvicted = (allocation: string) => evicted.has(allocation);
      await notePreemptiveStarts(tx, planned.partition, nodesOf(state, isEvicted), planned.takenAt);
      await leaveAlone(tx, planned.partition, {
        applications: isTurnedDown ? planned.plan.victims.map(({ application }) => application) : [],
        allocations: idsOf(victimsWith(state, 'failed')),
      });
      await releaseRounds(tx, [planned.enforcement]);
    };
  }
}

const idsOf = (victims: readonly PlannedVictim[]) => victims.map(({ allocation }) => allocation);

/** Nodes with a start that needs victims, one of which `counts`. */
function nodesOf({ planned }: RunState, counts: (allocation: string) => boolean): string[] {
  return (planned?.plan.starts ?? []).flatMap(({ node, victims }) => (victims.some(counts) ? [node] : []));
}

/**
 * Gives the round back, and lets its run go on under its own token.
 *
 * @returns false if the round was lost, or planned with other settings than are in force: then the run stays fenced.
 */
async function keepOwnLock(tx: Tx, enforcement: string, awaitsApproval: boolean): Promise<boolean> {
  const round = await releaseRound(tx, enforcement);
  return round !== undefined && holdOwnLock(tx, { enforcement, ...round }, { awaitsApproval });
}
