import type { Timer } from '#api-client';
import { foreseenCell } from '../output/foreseen-lines.js';
import { partitionColumn } from '../output/table.js';
import { startClockText, startText, startTimeOf, withClockTimes } from '../output/time.js';
import { listedAt } from './listed.js';
import { shownPolicy } from './plans.js';
import type { ResourceKind } from './resource-kind.js';

export const timers: ResourceKind<Timer> = {
  kind: 'timer',
  plural: 'timers',
  list: listedAt('/v1/timers', 'partition', 'queue', 'state', 'policy', 'limit', 'after'),
  dated: false,
  nameOf: ({ queue }) => queue,
  columns: [
    { ...partitionColumn, wide: true, cell: ({ partition }) => partition },
    { title: 'QUEUE', holds: 'paths', cell: ({ queue }) => queue },
    {
      title: 'DUE',
      holds: 'times',
      cell: (timer, now) => ({
        text: timer.state === 'suspended' ? '-' : startText(timer, now),
        tone: Date.parse(startTimeOf(timer) ?? timer.dueAt) - now < 10_000 ? 'doubtful' : 'plain',
      }),
    },
    { title: 'AT', holds: 'times', cell: startClockText },
    {
      title: 'ENFORCEMENT',
      holds: 'ids',
      cell: ({ enforcement, kind }) =>
        enforcement ?? (shownPolicy(kind).plansInRounds ? `rounds: ${kind}` : '-'),
    },
    { title: 'VICTIMS', optional: true, wraps: 'words', cell: ({ foresight }) => foreseenCell(foresight) },
    { title: 'STATE', cell: ({ state }) => state },
    { title: 'KIND', wide: true, cell: ({ kind }) => kind },
    { title: 'GENERATION', wide: true, align: 'right', cell: ({ generation }) => String(generation) },
    {
      title: 'WHY',
      optional: true,
      wraps: 'words',
      under: true,
      // The columns before have the due time.
      cell: ({ waiting }) => (!waiting || waiting.code === 'due' ? '-' : withClockTimes(waiting.message)),
    },
  ],
  empty: 'no clock runs',
  one: async (client, name, { partition }, signal) => {
    const queue = name.toLowerCase();
    const { items } = await client.get('/v1/timers', {
      params: { query: { partition, queue, limit: 1000 } },
      signal,
    });
    return items.find((timer) => timer.queue === queue);
  },
};
