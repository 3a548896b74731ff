import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { assertPartition } from '#clusters';
import { type ReportGroup, type ReportRow, type ReportView, reportGroups } from '#contracts/api';
import { moment } from '#contracts/events';
import { READER_DATABASE } from '#runtime';
import { victimsAreThere } from './victims-follow.js';

export const reportQuery = z.strictObject({
  partition: z.string().trim().toLowerCase().min(1).max(64).optional().describe('Absent: all.'),
  since: moment.describe('Evicted at this time or later.'),
  until: moment.optional().describe('Evicted before this time. Absent: now.'),
  by: z.enum(reportGroups).default('queue').describe('`cause` is the policy of the run.'),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});

const columns: Record<ReportGroup, string> = {
  queue: 'v.queue',
  user: 'v.owner',
  cause: 'e.policy',
  rule: 'v.rule',
};

type Row = ReportRow & { groups: number; isTotal: boolean };

/** Evictions of a period, and who bore the work lost. Runs are kept for CURTAIL_RUN_RETENTION_DAYS after their end. */
@Injectable()
export class Report {
  constructor(@Inject(READER_DATABASE) private readonly db: DataSource) {}

  /** @throws ProblemException as `victimsAreThere`, and 404 for a partition that there is not. */
  async of({ partition, since, until, by, limit }: z.infer<typeof reportQuery>): Promise<ReportView> {
    await victimsAreThere(this.db, partition);
    const [now] = await this.db.query<[{ until: Date }]>('SELECT coalesce($1::timestamptz, now()) AS until', [
      until ?? null,
    ]);
    const rows = await this.db.query<Row[]>(
      `WITH evicted AS MATERIALIZED (
         SELECT coalesce(${columns[by]}, '') COLLATE "C" AS name, v.enforcement, v.resources, v.seconds_lost
         FROM read_runs e JOIN read_victims v USING (enforcement)
         WHERE (e.ended_at IS NULL OR e.ended_at >= $1) AND v.state = 'evicted' AND v.updated_at >= $1 AND v.updated_at < $2
           AND ($3::text IS NULL OR v.partition = $3)),
       counts AS (
         SELECT name, grouping(name) = 1 AS is_total, count(*)::int AS victims, count(DISTINCT enforcement)::int AS runs,
                (count(*) FILTER (WHERE seconds_lost IS NULL))::int AS unknown
         FROM evicted GROUP BY GROUPING SETS ((name), ())),
       shown AS (
         SELECT *, (SELECT count(*)::int FROM counts WHERE NOT is_total) AS groups FROM counts
         ORDER BY is_total DESC, victims DESC, name LIMIT $4),
       hours AS (
         SELECT name, grouping(name) = 1 AS is_total, type, sum(amount::numeric * seconds_lost / 3600)::float8 AS amount
         FROM evicted, json_each_text(resources::json) AS of (type, amount)
         WHERE seconds_lost IS NOT NULL GROUP BY GROUPING SETS ((name, type), (type)))
       SELECT coalesce(s.name, '') AS name, s.victims, s.runs, s.unknown, s.groups, s.is_total AS "isTotal",
              coalesce((SELECT json_object_agg(h.type, h.amount) FROM hours h
                        WHERE h.is_total = s.is_total AND h.name IS NOT DISTINCT FROM s.name), '{}') AS lost
       FROM shown s ORDER BY s.is_total DESC, s.victims DESC, s.name`,
      [since, now.until, partition ?? null, limit + 1],
    );
    const items = rows.filter(({ isTotal }) => !isTotal);
    if (items.length === 0 && partition !== undefined) await assertPartition(this.db, partition);
    const total = rows.find(({ isTotal }) => isTotal);
    return {
      partition: partition ?? null,
      since: new Date(since).toISOString(),
      until: now.until.toISOString(),
      by,
      total: {
        victims: total?.victims ?? 0,
        runs: total?.runs ?? 0,
        lost: total?.lost ?? {},
        unknown: total?.unknown ?? 0,
      },
      items: items.map(({ name, victims, runs, lost, unknown }) => ({ name, victims, runs, lost, unknown })),
      more: (total?.groups ?? 0) - items.length,
    };
  }
}
