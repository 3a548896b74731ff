import type { ListPage, RoundsView } from '@curtail/contracts/api';
import { roundPolicies } from '@curtail/rounds';
import { READER_DATABASE } from '@curtail/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { QueryOf } from './list-query.js';

const mostExempt = 100;
const exemptingPolicies = () =>
  [...roundPolicies].flatMap(({ name, exemptsWork }) => (exemptsWork ? [name] : []));

@Injectable()
export class Rounds {
  constructor(@Inject(READER_DATABASE) private readonly db: DataSource) {}

  async list({ partition, policy }: QueryOf<'rounds'>): Promise<ListPage<RoundsView>> {
    const items: RoundsView[] = await this.db.query(
      `SELECT r.partition, r.policy, r.round::int AS round, r.enforcement, r.state, r.started_at AS "startedAt",
              t.due_at AS "nextDueAt", r.skipped::int AS skipped, r.planned_round::int AS "plannedRound",
              r.planned_at AS "plannedAt", r.seconds, r.plan, r.failure,
              (SELECT count(*)::int FROM victim_notes n
               WHERE n.policy = r.policy AND n.partition = r.partition) AS notified,
              (SELECT coalesce(json_agg(one), '[]')
               FROM (SELECT kind, name, to_char(until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS until
                     FROM left_alone
                     WHERE partition = r.partition AND r.policy = ANY ($3::text[]) AND until >= now()
                     ORDER BY kind DESC, name LIMIT $2) one) AS "exempt"
       FROM rounds r LEFT JOIN timers t ON t.kind = r.policy AND t.partition = r.partition AND t.name = 'root'
       WHERE r.partition = $1 AND ($4::text IS NULL OR r.policy = $4) ORDER BY r.policy`,
      [partition, mostExempt, exemptingPolicies(), policy ?? null],
    );
    return { items };
  }
}
