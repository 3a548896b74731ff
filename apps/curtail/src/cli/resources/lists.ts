import type { Allocation, Event, Notice } from '#api-client';
import { sentenceOf } from '#contracts';
import { amountsText } from '../output/amounts.js';
import { agoText, clockText, withClockTimes } from '../output/time.js';
import { listedAt } from './listed.js';
import type { ResourceKind } from './resource-kind.js';

export const allocations: ResourceKind<Allocation> = {
  kind: 'allocation',
  plural: 'allocations',
  list: listedAt('/v1/allocations', 'partition', 'queue', 'limit', 'after'),
  shortens: 'allocation',
  dated: false,
  nameOf: ({ id }) => id,
  columns: [
    { title: 'ALLOCATION', holds: 'ids', cell: ({ id }) => id },
    { title: 'APPLICATION', holds: 'paths', cell: ({ application }) => application },
    { title: 'QUEUE', holds: 'paths', cell: ({ queue }) => queue },
    { title: 'RESOURCES', wraps: 'items', cell: ({ resources }) => amountsText(resources) },
    { title: 'NODE', holds: 'paths', wide: true, cell: ({ node }) => node ?? '-' },
    { title: 'STARTED', holds: 'times', cell: ({ startedAt }, now) => agoText(startedAt, now) },
    { title: 'AT', wide: true, cell: ({ startedAt }) => clockText(startedAt) },
    { title: 'ROLE', wide: true, cell: ({ role }) => role ?? '-' },
    {
      title: 'STATE',
      cell: ({ state = 'running' }) => ({ text: state, tone: state === 'running' ? 'plain' : 'doubtful' }),
    },
    {
      title: 'ALLOWS',
      wide: true,
      cell: ({ allowPreemption }) => (allowPreemption === false ? 'no' : 'yes'),
    },
    { title: 'UID', holds: 'ids', wide: true, cell: ({ uid }) => uid ?? '-' },
  ],
  empty: 'no allocations: nothing runs there',
  one: (client, name, { partition }, signal) =>
    client.get('/v1/allocations/{id}', { params: { path: { id: name }, query: { partition } }, signal }),
};

export const events: ResourceKind<Event> = {
  kind: 'event',
  plural: 'events',
  list: listedAt(
    '/v1/events',
    ...([
      'partition',
      'queue',
      'type',
      'since',
      'until',
      'enforcement',
      'by',
      'user',
      'application',
    ] as const),
    ...(['limit', 'after'] as const),
  ),
  dated: true,
  nameOf: ({ position }) => position,
  columns: [
    { title: 'POSITION', align: 'right', cell: ({ position }) => position },
    { title: 'WHEN', holds: 'times', cell: ({ time }, now) => agoText(time, now) },
    { title: 'AT', wide: true, cell: ({ time }) => clockText(time) },
    { title: 'EVENT', cell: ({ name }) => name },
    { title: 'QUEUE', holds: 'paths', cell: ({ queue }) => queue },
    { title: 'STREAM', wide: true, cell: ({ stream, version }) => `${stream} ${version}` },
    {
      title: 'WHAT',
      wraps: 'words',
      under: true,
      cell: ({ name, data }) => withClockTimes(sentenceOf(name, data)),
    },
  ],
  empty: 'no events',
  // The path of a single event takes it from any partition: reads the first one of this partition before the next position.
  one: async (client, name, { partition }, signal) => {
    if (!/^\d{1,17}$/.test(name)) return undefined;
    const after = String(BigInt(name) + 1n);
    const { items } = await client.get('/v1/events', {
      params: { query: { partition, after, limit: 1 } },
      signal,
    });
    return items.find(({ position }) => position === name);
  },
  below: ({ data }) => ['', ...JSON.stringify(data, null, 2).split('\n')],
};

export const notices: ResourceKind<Notice> = {
  kind: 'notice',
  plural: 'notices',
  list: listedAt('/v1/notices', 'partition', 'queue', 'since', 'limit', 'after'),
  dated: true,
  nameOf: ({ code, at }) => `${code}@${at}`,
  columns: [
    { title: 'WHEN', holds: 'times', cell: ({ at }, now) => agoText(at, now) },
    { title: 'AT', wide: true, cell: ({ at }) => clockText(at) },
    { title: 'QUEUE', holds: 'paths', cell: ({ queue }) => queue },
    { title: 'ENFORCEMENT', holds: 'ids', wide: true, cell: ({ enforcement }) => enforcement ?? '-' },
    { title: 'CODE', holds: 'ids', cell: ({ code }) => code },
    {
      title: 'ABOUT',
      wide: true,
      holds: 'paths',
      cell: ({ kind, name }) => (kind ? `${kind} ${name}` : '-'),
    },
    { title: 'MESSAGE', wraps: 'words', cell: ({ message }) => withClockTimes(message) },
  ],
  empty: 'no notices',
};
