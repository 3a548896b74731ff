import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ListPage, RoundsView } from '#contracts/api';
import { roundPolicies } from '#rounds';
import { READER_DATABASE } from '#runtime';
import type { QueryOf } from './list-query.js';

const mostExempt = 100;

@Injectable()
export class Rounds {
  constructor(@Inject(READER_DATABASE) private readonly db: DataSource) {}

  async list({ partition, policy }: QueryOf<'rounds'>): Promise<ListPage<RoundsView>> {
    const rows = await this.db.query<Omit<RoundsView, 'exempt'>[]>(
      `SELECT r.partition, r.policy, r.round::int AS round, r.enforcement, r.state, r.started_at AS "startedAt",
              t.due_at AS "nextDueAt", r.skipped::int AS skipped, r.planned_round::int AS "plannedRound",
              r.planned_at AS "plannedAt", r.seconds, r.plan, r.failure,
              (SELECT count(*)::int FROM victim_notes n
               WHERE n.policy = r.policy AND n.partition = r.partition) AS notified
       FROM rounds r LEFT JOIN timers t ON t.kind = r.policy AND t.partition = r.partition AND t.name = 'root'
       WHERE r.partition = $1 AND ($2::text IS NULL OR r.policy = $2) ORDER BY r.policy`,
      [partition, policy ?? null],
    );
    const items = await Promise.all(
      rows.map(async (row) => {
        const exempt = await roundPolicies.find(row.policy)?.exemptNow?.(this.db, partition, mostExempt);
        return { ...row, exempt: exempt ?? [] };
      }),
    );
    return { items };
  }
}
