import type { Foreseen } from '#api-client';
import { defaultPartition } from '#contracts';
import { shortReason } from '#planning/words';
import { amountsText } from '../output/amounts.js';
import { partitionColumn } from '../output/table.js';
import { agoText, clockText, dueText } from '../output/time.js';
import { listedAt } from './listed.js';
import type { ResourceKind } from './resource-kind.js';

/** What the runs of clocks would evict, by queue and application. docs/how-to/advance-notice.md */
export const foreseen: ResourceKind<Foreseen> = {
  kind: 'foreseen',
  plural: 'foreseen',
  things: 'foreseen evictions',
  list: listedAt('/v1/foreseen', 'partition', 'queue', 'user', 'application', 'limit', 'after'),
  dated: false,
  nameOf: ({ application }) => application,
  columns: [
    { ...partitionColumn, wide: true, cell: ({ partition }) => partition },
    { title: 'APPLICATION', holds: 'paths', cell: ({ application }) => application },
    { title: 'USER', holds: 'paths', cell: ({ user }) => user ?? '-' },
    { title: 'QUEUE', holds: 'paths', cell: ({ queue }) => queue },
    {
      title: 'DUE',
      cell: ({ dueAt }, now) => ({
        text: dueText(dueAt, now),
        tone: Date.parse(dueAt) - now < 60_000 ? 'doubtful' : 'plain',
      }),
    },
    { title: 'AT', cell: ({ dueAt }) => clockText(dueAt) },
    { title: 'VICTIMS', align: 'right', cell: ({ victims }) => String(victims) },
    { title: 'CHECKS', align: 'right', cell: ({ checks }) => String(checks) },
    { title: 'SINCE', wide: true, cell: ({ since }, now) => agoText(since, now) },
    { title: 'NOTIFIED', wide: true, cell: ({ notifiedAt }, now) => agoText(notifiedAt, now) },
    { title: 'ENFORCEMENT', wide: true, holds: 'ids', cell: ({ enforcement }) => enforcement },
    { title: 'RESOURCES', wide: true, wraps: 'items', cell: ({ resources }) => amountsText(resources) },
    {
      title: 'WHY',
      wraps: 'words',
      under: true,
      cell: ({ rule, facts, reason }) => shortReason(rule, facts ?? {}, clockText) ?? reason,
    },
    {
      title: 'DOUBT',
      optional: true,
      wraps: 'words',
      under: true,
      cell: (item) => doubtsOf(item).join(' ') || '-',
    },
  ],
  // A clock whose owners are not notified may evict.
  empty: 'no evictions are foreseen: no running clock with advance notice is known to evict anything',
  one: async (client, application, { partition }, signal) => {
    const { items } = await client.get('/v1/foreseen', {
      params: { query: { partition, application, limit: 1 } },
      signal,
    });
    return items[0];
  },
  below: ({ allocations, victims }) => [
    '',
    'WOULD BE EVICTED',
    ...allocations.map((allocation) => `  ${allocation}`),
    ...(victims > allocations.length ? [`  and ${victims - allocations.length} more`] : []),
  ],
  next: ([first]) =>
    first &&
    `see the whole plan of ${first.queue}: curtail plan --queue ${first.queue}${first.partition === defaultPartition ? '' : ` --partition ${first.partition}`}`,
};

function doubtsOf({ needsApproval, fault, more }: Foreseen): string[] {
  return [
    ...(needsApproval ? ['The run would wait for an approval.'] : []),
    ...(fault === null ? [] : [`The last check could make no plan: ${fault}`]),
    ...(more === 0 ? [] : [`${more} more applications would lose allocations and are not notified.`]),
  ];
}
