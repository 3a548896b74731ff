import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { assertPartition } from '#clusters';
import { type ReportView, reportGroups } from '#contracts/api';
import { moment } from '#contracts/events';
import { READER_DATABASE } from '#runtime';
import { endOfReport, reportRows } from './run-statements.js';
import { victimsAreThere } from './victims-follow.js';

export const reportQuery = z.strictObject({
  partition: z.string().trim().toLowerCase().min(1).max(64).optional().describe('Absent: all.'),
  queue: z
    .string()
    .trim()
    .toLowerCase()
    .min(1)
    .max(4096)
    .optional()
    .describe('Only this queue, and everything below it.'),
  since: moment.describe('Evicted at this time or later.'),
  until: moment.optional().describe('Evicted before this time. Absent: now.'),
  by: z.enum(reportGroups).default('queue').describe('`cause` is the policy of the run.'),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});

/** Evictions of a period, and who bore the work lost. Runs are kept for CURTAIL_RUN_RETENTION_DAYS after their end. */
@Injectable()
export class Report {
  constructor(@Inject(READER_DATABASE) private readonly db: DataSource) {}

  /** @throws ProblemException as `victimsAreThere`, and 404 for a partition that there is not. */
  async of({ partition, queue, since, until, by, limit }: z.infer<typeof reportQuery>): Promise<ReportView> {
    await victimsAreThere(this.db, partition);
    const [now] = await endOfReport(this.db, until ?? null);
    const rows = await reportRows(this.db, by, since, now.until, { partition, queue }, limit + 1);
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
