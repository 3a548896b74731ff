import type { FairShareReason, Notice, NoticeAbout, Outcome, Resources } from '@curtail/contracts';
import { READER_DATABASE } from '@curtail/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ListPage, ListQuery } from './list-query.js';

/** What a round planned: the sums, and each queue's part in them. */
export interface RoundPlanView {
  outcome: Outcome;
  observeOnly?: true;
  target: Resources;
  claimed: Resources;
  shortfall: Resources;
  victims: number;
  shares: { queue: string; releasable: Resources; target: Resources; claimed: Resources }[];
  /** Of fair-share: what there was to act on, a thousand at most; `queue`: the pool, or that of the operation. */
  reasons?: (FairShareReason & { queue?: string })[];
  notices: NoticeAbout[];
}

/** The rounds of a policy in a partition: which one is the last, and what it came to. */
export interface RoundsView {
  partition: string;
  policy: string;
  /** Of the last one that began. */
  round: number;
  enforcement: string;
  /** `wanted`, `planning`, `executing`, or `over`. */
  state: string;
  startedAt: string;
  /** Null when its configuration wants no more rounds. */
  nextDueAt: string | null;
  /** From the first one on: left out because another one was under way. */
  skipped: number;
  /** Of the last one that could be planned, whether it is in the log or not. */
  plannedRound: number | null;
  plannedAt: string | null;
  seconds: number | null;
  plan: RoundPlanView | null;
  /** Why the last one could not be planned. */
  failure: Notice | null;
  /** Allocations whose owners were told, and who may be killed by a later round. */
  told: number;
  /** Whom rounds of fair-share choose no more for a while, since an operator or the cluster said no; a hundred at the most. */
  leftAlone: { kind: 'application' | 'allocation'; name: string; until: string }[];
}

const mostLeftAlone = 100;

@Injectable()
export class Rounds {
  constructor(@Inject(READER_DATABASE) private readonly db: DataSource) {}

  async list({ partition }: Pick<ListQuery, 'partition'>): Promise<ListPage<RoundsView>> {
    const items: RoundsView[] = await this.db.query(
      `SELECT r.partition, r.policy, r.round::int AS round, r.enforcement, r.state, r.started_at AS "startedAt",
              t.due_at AS "nextDueAt", r.skipped::int AS skipped, r.planned_round::int AS "plannedRound",
              r.planned_at AS "plannedAt", r.seconds, r.plan, r.failure,
              (SELECT count(*)::int FROM victim_notes n
               WHERE n.policy = r.policy AND n.partition = r.partition) AS told,
              (SELECT coalesce(json_agg(alone), '[]')
               FROM (SELECT kind, name, to_char(until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS until
                     FROM left_alone
                     WHERE partition = r.partition AND r.policy = 'fair-share' AND until >= now()
                     ORDER BY kind DESC, name LIMIT $2) alone) AS "leftAlone"
       FROM rounds r LEFT JOIN timers t ON t.kind = r.policy AND t.partition = r.partition AND t.name = 'root'
       WHERE r.partition = $1 ORDER BY r.policy`,
      [partition, mostLeftAlone],
    );
    return { items };
  }
}
