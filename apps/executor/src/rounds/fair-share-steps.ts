import { CLUSTER_DRIVER, type ClusterDriver } from '@curtail/clusters';
import {
  type OpeningTerms,
  openRun,
  outcomeOfVictim,
  type PlannedVictim,
  type RunState,
  type VictimFacts,
  victimNotified,
} from '@curtail/enforcement';
import type { Tx } from '@curtail/event-store';
import { notePreemptiveStarts, releaseRounds } from '@curtail/rounds';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { RunLog } from '../run-log.js';
import { countAsLeaving } from './count-as-leaving.js';

/**
 * How old a plan may be, beside the time that its victims have to finish, when somebody is killed by it. What is left then, say
 * since no executor ran, a later round decides anew.
 */
const planSeconds = 60;
/** The same for a plan that waits for an approval: shares, limits and protection of hours ago are no reason to kill. */
const approvalSeconds = 600;

/**
 * What a run of fair-share does beside what every run does (docs/policies/fair-share.md §12). Its victims have seconds to
 * finish, and the next rounds are not to wait for that: the round is over once the run is opened. From then on the run holds a
 * lock of its own, and its victims count as leaving, whoever looks.
 */
@Injectable()
export class FairShareSteps {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(CLUSTER_DRIVER) private readonly cluster: ClusterDriver,
  ) {}

  async open(run: RunLog, terms: OpeningTerms): Promise<void> {
    const { planned } = run.state;
    if (!planned) throw new Error('a round without a plan cannot be carried out');
    const { partition, enforcement, takenAt, plan } = planned;
    const longestMs = Math.max(0, ...plan.victims.map(({ gracePeriodMs = 0 }) => gracePeriodMs));
    const ageMs = Math.max(0, Date.parse(terms.openedAt) - Date.parse(takenAt));
    const secondsLeft = (atMost: number) => Math.max(0, atMost + (longestMs - ageMs) / 1000);
    const opened = openRun(run.state, {
      ...terms,
      roundSeconds: secondsLeft(planSeconds),
      deadlineSeconds: Math.min(terms.deadlineSeconds, secondsLeft(approvalSeconds)),
    });
    run.note([opened]);
    const isCarriedOut = terms.mode === 'enforce' && run.state.opened?.needsApproval === false;
    await run.record({
      effect: async (tx) => {
        if (!(await keepOwnLock(tx, enforcement))) return;
        if (terms.mode === 'enforce') await countAsLeaving(tx, run.state, plan.victims);
        if (isCarriedOut)
          await notePreemptiveStarts(
            tx,
            partition,
            nodesOf(run.state, () => true),
            takenAt,
          );
      },
    });
    if (isCarriedOut) await this.nominate(run.state);
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
  async ask(run: RunLog, victims: readonly PlannedVictim[]): Promise<void> {
    const partition = run.state.planned?.partition ?? '';
    const askedAt = await this.now();
    const killAtOf = ({ gracePeriodMs = 0 }: PlannedVictim) => new Date(askedAt.getTime() + gracePeriodMs);
    await this.cluster.announce?.(
      victims.map((victim) => {
        const { allocation, uid, application, queue, reason } = victim;
        const killAt = killAtOf(victim);
        return {
          partition,
          allocation,
          ...(uid === undefined ? {} : { uid }),
          application,
          queue,
          killAt,
          reason,
        };
      }),
    );
    const notifiedAt = askedAt.toISOString();
    run.note(
      victims.map((victim) =>
        victimNotified(run.state, victim.rank, { notifiedAt, killAt: killAtOf(victim).toISOString() }),
      ),
    );
    await run.record();
  }

  /** Adds whether the victim still serves somebody who starves, by the last look of the rounds. */
  async withNeed(
    facts: VictimFacts,
    { cause, preemptedFor }: PlannedVictim,
    partition: string,
  ): Promise<VictimFacts> {
    if ('unreachable' in facts || preemptedFor === undefined || !cause?.endsWith('starvation')) return facts;
    // Which pool an operation starves for is not known here: as long as any does, the victim is taken to be needed.
    const rows: unknown[] = await this.db.query(
      `SELECT 1 FROM starvation_clocks WHERE partition = $1 AND starvation = ANY ($3::text[])
         AND ((kind = 'operation' AND name = $2) OR kind = 'pool') LIMIT 1`,
      // What is inside a fair share is taken for those only who starve aggressively still.
      [
        partition,
        preemptedFor,
        cause === 'aggressive-starvation' ? ['aggressively_starving'] : ['starving', 'aggressively_starving'],
      ],
    );
    return { ...facts, servesNobody: rows.length === 0 };
  }

  /** What the end of the run changes beside the log: of a plan that waited for approval the nodes are used only now. */
  effectOfEnd({ state }: RunLog): (tx: Tx) => Promise<void> {
    const { planned } = state;
    return async (tx) => {
      if (!planned) return;
      const rankOf = new Map(planned.plan.victims.map(({ allocation, rank }) => [allocation, rank]));
      const isEvicted = (allocation: string) =>
        outcomeOfVictim(state, rankOf.get(allocation) ?? 0) === 'evicted';
      await notePreemptiveStarts(tx, planned.partition, nodesOf(state, isEvicted), planned.takenAt);
      await releaseRounds(tx, [planned.enforcement]);
    };
  }

  private async now(): Promise<Date> {
    const rows: { now: Date }[] = await this.db.query('SELECT clock_timestamp()::timestamptz(3) AS now');
    return rows[0]!.now;
  }
}

/** Nodes with a start that needs victims, one of which `counts`. */
function nodesOf({ planned }: RunState, counts: (allocation: string) => boolean): string[] {
  return (planned?.plan.starts ?? []).flatMap(({ node, victims }) => (victims.some(counts) ? [node] : []));
}

/**
 * Gives the round back, and lets its run go on under its own token.
 *
 * @returns false if the round was lost: then the run stays fenced.
 */
async function keepOwnLock(tx: Tx, enforcement: string): Promise<boolean> {
  const [, released]: [unknown, number] = await tx.query(
    `UPDATE rounds SET state = 'over' WHERE enforcement = $1 AND state = 'executing'`,
    [enforcement],
  );
  if (released === 0) return false;
  await tx.query('UPDATE executions SET own_lock = true WHERE enforcement = $1', [enforcement]);
  return true;
}
