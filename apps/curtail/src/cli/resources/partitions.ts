import type { Partition, Stop } from '#api-client';
import { nodeLabelsText, placeOptions } from '#contracts';
import { agoText, clockText } from '../output/time.js';
import { ServerError } from '../server/server-error.js';
import { listedAt } from './listed.js';
import type { ResourceKind } from './resource-kind.js';

/** Partitions with their mode, switch, policies and stops. */
export const partitions: ResourceKind<Partition> = {
  kind: 'partition',
  plural: 'partitions',
  list: listedAt('/v1/partitions', 'limit', 'after'),
  dated: false,
  everywhere: true,
  nameOf: ({ partition }) => partition,
  columns: [
    { title: 'PARTITION', holds: 'ids', cell: ({ partition }) => partition },
    {
      title: 'MODE',
      wraps: 'words',
      cell: ({ mode, modeIsDefault, limited }) => ({
        text: limited ? `${mode} (CURTAIL_MODE)` : modeIsDefault ? `${mode} (default)` : mode,
        tone: mode === 'observe' ? 'doubtful' : 'plain',
      }),
    },
    {
      title: 'QUOTAS',
      wraps: 'words',
      cell: ({ quotaPreemptionEnabled: on, nodeLabels }) => {
        if (on === null) return 'no configuration';
        if (on) return 'enforced';
        const text = nodeLabels ? `not enforced: ${nodeLabelsText(nodeLabels)}` : 'switched off';
        return { text, tone: 'doubtful' };
      },
    },
    { title: 'POLICIES', wraps: 'items', cell: ({ policies }) => policies.join(', ') || '-' },
    { title: 'QUEUES', align: 'right', cell: ({ queues }) => String(queues) },
    {
      title: 'STOPS',
      wraps: 'items',
      cell: ({ stops: set }) =>
        set.length === 0
          ? '-'
          : { text: set.map(({ queue }) => queue ?? 'the partition').join(', '), tone: 'doubtful' },
    },
    { title: 'APPLIED', holds: 'times', cell: ({ appliedAt }, now) => agoText(appliedAt, now) },
    { title: 'AT', wide: true, cell: ({ appliedAt }) => clockText(appliedAt) },
    { title: 'VERSION', wide: true, align: 'right', cell: ({ version }) => String(version ?? '-') },
  ],
  empty: 'no partitions: no configuration is in force, and no mode or stop was set',
  whenEmpty: () => 'put one in force: curtail apply -f FILE',
  one: async (client, name, _filter, signal) => {
    try {
      return await client.get('/v1/partitions/{partition}', {
        params: { path: { partition: name.toLowerCase() } },
        signal,
      });
    } catch (error) {
      if (error instanceof ServerError && error.problem.status === 404) return undefined;
      throw error;
    }
  },
};

const nameOfStop = ({ partition, queue }: Stop) => (queue === null ? partition : `${partition}/${queue}`);

/** The kill switches that are set. */
export const stops: ResourceKind<Stop> = {
  kind: 'stop',
  plural: 'stops',
  list: listedAt('/v1/kill-switch'),
  dated: false,
  everywhere: true,
  nameOf: nameOfStop,
  columns: [
    { title: 'PARTITION', holds: 'ids', cell: ({ partition }) => partition },
    { title: 'QUEUE', holds: 'paths', cell: ({ queue }) => queue ?? 'all' },
    { title: 'SINCE', holds: 'times', cell: ({ since }, now) => agoText(since, now) },
    { title: 'AT', wide: true, cell: ({ since }) => clockText(since) },
    { title: 'BY', wraps: 'words', cell: ({ by }) => by },
    { title: 'REASON', wraps: 'words', cell: ({ reason }) => reason ?? '-' },
  ],
  empty: 'no stops are set',
  one: async (client, name, _filter, signal) => {
    const { items } = await client.get('/v1/kill-switch', { signal });
    return items.find((stop) => nameOfStop(stop) === name.toLowerCase());
  },
  next: ([first]) =>
    first && `let evictions continue: curtail resume${placeOptions(first.partition, first.queue)}`,
};
