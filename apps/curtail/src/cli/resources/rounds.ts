import type { Rounds } from '#api-client';
import { counted } from '#contracts';
import { amountsText, durationText } from '../output/amounts.js';
import { exemptSentences } from '../output/foreseen-lines.js';
import { partitionColumn, tableLines } from '../output/table.js';
import { agoText, clockText, dueText } from '../output/time.js';
import { hanging } from '../output/width.js';
import { outcomeTone } from './enforcements.js';
import { listedAt } from './listed.js';
import type { ResourceKind } from './resource-kind.js';

/** Policies with rounds: one entry each, with the result of the last round. */
export const rounds: ResourceKind<Rounds> = {
  kind: 'round',
  plural: 'rounds',
  list: listedAt('/v1/rounds', 'partition', 'policy'),
  dated: false,
  nameOf: ({ policy }) => policy,
  columns: [
    { ...partitionColumn, wide: true, cell: ({ partition }) => partition },
    { title: 'POLICY', cell: ({ policy }) => policy },
    { title: 'ROUND', align: 'right', cell: ({ round }) => String(round) },
    { title: 'STATE', cell: ({ state }) => state },
    {
      title: 'LAST PLAN',
      cell: ({ failure, plan }) =>
        failure
          ? { text: `failed: ${failure.message}`, tone: 'bad' }
          : { text: plan?.outcome ?? '-', tone: outcomeTone(plan?.outcome ?? null) },
    },
    { title: 'VICTIMS', align: 'right', cell: ({ plan }) => String(plan?.victims ?? '-') },
    { title: 'TARGET', wide: true, cell: ({ plan }) => amountsText(plan?.target ?? null) },
    { title: 'NOTIFIED', align: 'right', cell: ({ notified }) => String(notified) },
    { title: 'SKIPPED', align: 'right', cell: ({ skipped }) => String(skipped) },
    {
      title: 'MADE',
      holds: 'times',
      cell: ({ plannedAt }, now) => (plannedAt ? agoText(plannedAt, now) : '-'),
    },
    { title: 'TOOK', wide: true, cell: ({ seconds }) => (seconds === null ? '-' : durationText(seconds)) },
    { title: 'AT', wide: true, cell: ({ plannedAt }) => clockText(plannedAt) },
    {
      title: 'NEXT',
      holds: 'times',
      cell: ({ nextDueAt }, now) => (nextDueAt ? dueText(nextDueAt, now) : 'switched off'),
    },
  ],
  empty: 'no rounds: no configuration in force switches on a policy with rounds',
  whenEmpty: () =>
    'switch one on: curtail apply -f FILE, such as examples/pools.yaml; or name another partition: curtail get rounds --partition NAME',
  one: async (client, name, { partition }, signal) => {
    const { items } = await client.get('/v1/rounds', { params: { query: { partition } }, signal });
    return items.find(({ policy }) => policy === name);
  },
  below: ({ plan, notified, exempt }, invocation) => {
    if (!plan) return [];
    const shares = plan.shares.map(({ queue, releasable, target, claimed }) => [
      queue,
      amountsText(releasable),
      amountsText(target),
      amountsText(claimed),
    ]);
    const titles = ['QUEUE', 'RELEASABLE', 'TARGET', 'CLAIMED'].map((title) => ({
      title,
      wraps: 'items' as const,
    }));
    const notices = plan.notices.map(({ code, message }) => [code, message]);
    return [
      ...(notified > 0
        ? ['', `${counted(notified, 'allocation waits', 'allocations wait')}: the owners were notified.`]
        : []),
      ...exemptSentences({ exempt }).flatMap((sentence) => ['', ...hanging(sentence, invocation.width)]),
      ...(shares.length > 0 ? ['', ...tableLines(titles, shares, invocation)] : []),
      ...(notices.length > 0
        ? [
            '',
            ...tableLines(
              [
                { title: 'CODE', holds: 'ids' },
                { title: 'MESSAGE', wraps: 'words' },
              ],
              notices,
              invocation,
            ),
          ]
        : []),
    ];
  },
};
