import type { Freeze } from '#api-client';
import { agoText, clockText } from '../output/time.js';
import { listedAt } from './listed.js';
import type { ResourceKind } from './resource-kind.js';

/** Freezes that are in effect, or will be. */
export const freezes: ResourceKind<Freeze> = {
  kind: 'freeze',
  plural: 'freezes',
  list: listedAt('/v1/freezes'),
  dated: false,
  everywhere: true,
  nameOf: ({ freeze }) => freeze,
  columns: [
    { title: 'FREEZE', holds: 'ids', cell: ({ freeze }) => freeze },
    { title: 'PARTITION', holds: 'ids', cell: ({ partition }) => partition },
    { title: 'QUEUE', holds: 'paths', cell: ({ queue }) => queue ?? 'all' },
    {
      title: 'STATE',
      cell: ({ inEffect }) => (inEffect ? { text: 'frozen', tone: 'doubtful' } : 'planned'),
    },
    { title: 'FROM', wraps: 'items', cell: ({ from }) => clockText(from) },
    { title: 'UNTIL', wraps: 'items', cell: ({ until }) => clockText(until) },
    { title: 'RULE', wraps: 'words', cell: ({ recurs }) => recurs?.rule ?? 'once' },
    {
      title: 'FIRST',
      wide: true,
      cell: ({ recurs }) => (recurs ? `${recurs.start} ${recurs.timeZone}, ${recurs.duration}` : '-'),
    },
    { title: 'SET', wide: true, cell: ({ since }, now) => agoText(since, now) },
    {
      title: 'BY',
      wraps: 'words',
      cell: ({ by, source }) => (source === 'configuration' ? 'configuration' : by),
    },
    { title: 'REASON', wraps: 'words', cell: ({ reason }) => reason ?? '-' },
  ],
  empty: 'no freezes are set',
  one: async (client, name, _filter, signal) => {
    const { items } = await client.get('/v1/freezes', { signal });
    return items.find(({ freeze }) => freeze === name.toLowerCase());
  },
  next: (items) => {
    const first = items.find(({ source }) => source !== 'configuration');
    return first && `end it now: curtail unfreeze ${first.freeze}`;
  },
};
