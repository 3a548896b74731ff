import type { Queue } from '#api-client';
import { counted, nodeLabelsText, type Resources, shareText } from '#contracts';
import { amountAboveQuota, amountsText, delayText } from '../output/amounts.js';
import { partitionColumn } from '../output/table.js';
import { dueOrWaits } from '../output/time.js';
import { listedAt } from './listed.js';
import type { ResourceKind } from './resource-kind.js';

export const queues: ResourceKind<Queue> = {
  kind: 'queue',
  plural: 'queues',
  list: listedAt('/v1/queues', 'partition', 'queue', 'limit', 'after'),
  dated: false,
  nameOf: ({ queue }) => queue,
  columns: [
    { ...partitionColumn, wide: true, cell: ({ partition }) => partition },
    { title: 'QUEUE', holds: 'paths', cell: ({ queue }) => queue },
    {
      title: 'USED',
      wraps: 'items',
      cell: ({ usage, max }) => ({
        text: amountsText(usage),
        tone: isOver(usage, max) ? 'doubtful' : 'plain',
      }),
    },
    { title: 'LEAVING', wide: true, cell: ({ inFlight }) => amountsText(inFlight) },
    {
      title: 'MAX',
      wraps: 'items',
      cell: ({ max, clusterShare }) => amountsOrShareText(max, clusterShare?.max),
    },
    {
      title: 'GUARANTEED',
      wide: true,
      cell: ({ guaranteed, clusterShare }) => amountsOrShareText(guaranteed, clusterShare?.guaranteed),
    },
    { title: 'DELAY', cell: ({ delaySeconds }) => delayText(delaySeconds) },
    { title: 'NOW', wraps: 'words', cell: nowCell },
  ],
  empty: 'no queues: no configuration is in force',
  whenEmpty: () =>
    'put one in force: curtail apply -f FILE; or name another partition: curtail get queues --partition NAME',
  one: (client, name, { partition }, signal) =>
    client.get('/v1/queues/{path}', {
      params: { path: { path: name.toLowerCase() }, query: { partition } },
      signal,
    }),
};

function nowCell(queue: Queue, now: number) {
  const { stopped, enforcement, dueAt, suspended, notMet, usage, max, nodeLabels } = queue;
  const { configured, allocations = 0 } = queue;
  const states = [
    ...(configured === false
      ? [
          `not in the configuration; ${counted(allocations, 'allocation still runs', 'allocations still run')}`,
        ]
      : []),
    ...(stopped ? ['stopped'] : []),
    ...(enforcement === null ? [] : [`run ${enforcement}`]),
    ...(dueAt === null ? [] : [suspended ? suspendedText(queue) : `run ${dueOrWaits(queue, now)}`]),
    ...(notMet ? ['quota not met'] : []),
    ...(nodeLabels && !suspended && isLimited(queue) ? [notEnforced(nodeLabels)] : []),
  ];
  if (states.length === 0 && !nodeLabels && isOver(usage, max)) {
    states.push(
      Object.keys(amountAboveQuota(queue)).length > 0 ? 'above its max' : 'above its max, coming down',
    );
  }
  return states.length === 0 ? '-' : { text: states.join(', '), tone: 'doubtful' as const };
}

/** A stop suspends a clock; without one, the switch of the partition is off. */
function suspendedText({ stopped, nodeLabels }: Queue): string {
  if (stopped) return 'clock suspended';
  return nodeLabels ? `suspended: ${notEnforced(nodeLabels)}` : 'suspended: enforcement is off';
}

/** Its usage and its limit are not those of the scheduler. */
const notEnforced = (labels: readonly string[]) => `not enforced: ${nodeLabelsText(labels)}`;

const isLimited = ({ max, clusterShare }: Queue) => max !== null || clusterShare?.max !== undefined;

/** `25 %: 30 GB, 4 vcore`, or `25 %: unknown` for a share whose amounts are unknown. */
function amountsOrShareText(amounts: Resources | null, share: string | undefined): string {
  if (share === undefined) return amountsText(amounts);
  return `${shareText(share)}: ${amounts === null ? 'unknown' : amountsText(amounts)}`;
}

/** Usage exceeds the max in some resource type. */
function isOver(usage: Resources, max: Resources | null): boolean {
  return Object.entries(max ?? {}).some(([type, most]) => (usage[type] ?? 0) > most);
}
