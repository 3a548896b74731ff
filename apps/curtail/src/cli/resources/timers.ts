import { quotaPolicy } from '@curtail/contracts';
import type { ListPage, TimerView } from '@curtail/contracts/api';
import { partitionColumn } from '../output/table.js';
import { clockText, dueText } from '../output/time.js';
import { pathOf } from '../server/address.js';
import type { ResourceKind } from './resource-kind.js';

export const timers: ResourceKind<TimerView> = {
  kind: 'timer',
  plural: 'timers',
  dated: false,
  nameOf: ({ queue }) => queue,
  columns: [
    { ...partitionColumn, wide: true, cell: ({ partition }) => partition },
    { title: 'QUEUE', holds: 'paths', cell: ({ queue }) => queue },
    {
      title: 'DUE',
      cell: ({ dueAt, state }, now) => ({
        text: state === 'suspended' ? '-' : dueText(dueAt, now),
        tone: Date.parse(dueAt) - now < 10_000 ? 'doubtful' : 'plain',
      }),
    },
    { title: 'AT', cell: ({ dueAt }) => clockText(dueAt) },
    {
      title: 'ENFORCEMENT',
      holds: 'ids',
      cell: ({ enforcement, kind }) => enforcement ?? (kind === quotaPolicy ? '-' : `rounds: ${kind}`),
    },
    { title: 'STATE', cell: ({ state }) => state },
    { title: 'KIND', wide: true, cell: ({ kind }) => kind },
    { title: 'GENERATION', wide: true, align: 'right', cell: ({ generation }) => String(generation) },
  ],
  empty: 'no clock runs',
  one: async (client, name, { partition }, signal) => {
    const queue = name.toLowerCase();
    const { items } = await client.get<ListPage<TimerView>>(
      pathOf(['timers'], { partition, queue, limit: 1000 }),
      signal,
    );
    return items.find((timer) => timer.queue === queue);
  },
};
