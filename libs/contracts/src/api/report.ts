import { z } from 'zod';
import { count, time } from './shapes.js';
import { victimGroup } from './what-if.js';

export const reportGroups = ['queue', 'user', 'cause', 'rule'] as const;
export type ReportGroup = (typeof reportGroups)[number];

const lost = victimGroup.shape.lost;

export const reportRow = z
  .object({
    name: z.string().describe('The queue, user, policy or rule; empty where it is not known.'),
    victims: count.describe('Evicted allocations.'),
    runs: count.describe('Runs that evicted them.'),
    lost,
    unknown: count.describe('Evicted allocations whose lost work is not known; `lost` leaves them out.'),
  })
  .meta({ id: 'ReportRow' });
export type ReportRow = z.infer<typeof reportRow>;

/** Evictions of a period and the work lost with them. */
export const reportView = z
  .object({
    partition: z.string().nullable().describe('null: all partitions'),
    since: time,
    until: time,
    by: z.enum(reportGroups),
    total: reportRow.omit({ name: true }),
    items: z.array(reportRow).describe('The most victims first.'),
    more: count.describe('Groups that are not listed.'),
  })
  .meta({ id: 'Report' });
export type ReportView = z.infer<typeof reportView>;
