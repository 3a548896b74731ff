import type { QueueInForce } from '#clusters';
import { type ConfigurationFormat, ofPartition, type Resources, resolveShares } from '#contracts';
import type { ConfigurationWarning } from '#contracts/api';
import { sameAmounts } from '#enforcement';
import { byPath } from './differing-queues.js';

/** A configuration of one partition: the one in force, or its replacement. */
export interface RunSide {
  enabled: boolean;
  queues: readonly QueueInForce[];
}

interface Place {
  partition: string;
  /** Of the new one. */
  format: ConfigurationFormat;
  clusterSize: Resources;
}

/** In each format, the setting that keeps the enforcement of lowered quotas on. */
const switches: Record<ConfigurationFormat, string> = {
  yunikorn: 'It stays on with preemption.quotapreemptionenabled: true.',
  'capacity-scheduler': 'It stays on if a queue is given a quota-preemption-delay.',
  ytsaurus: 'A pool tree cannot switch it on.',
};

const mostNamed = 3;

/**
 * Warns if a configuration ends the enforcement of lowered quotas in a partition, which files of another scheduler do
 * silently. Names the queues that lose delays and guaranteed amounts.
 */
export function runEnds(
  { partition, format, clusterSize }: Place,
  before: RunSide,
  after: RunSide,
): ConfigurationWarning[] {
  if (!before.enabled || after.enabled) return [];
  const remaining = new Map(after.queues.map((queue) => [queue.path, queue]));
  const old = byPath(before.queues);
  const delayed = old.filter(({ path, delayMs }) => delayMs > 0 && !remaining.get(path)?.delayMs);
  const guaranteed = old.filter((queue) => {
    const now = remaining.get(queue.path);
    const amounts = resolveShares(queue, clusterSize).guaranteed;
    const left = now === undefined ? null : resolveShares(now, clusterSize).guaranteed;
    return !sameAmounts(amounts, null) && !sameAmounts(amounts, left);
  });
  const goes = [
    ...(delayed.length > 0 ? [`the delay of ${named(delayed)}`] : []),
    ...(guaranteed.length > 0 ? [`what is guaranteed to ${named(guaranteed)}`] : []),
  ];
  const message = [
    'this configuration ends the enforcement of lowered quotas: no clock runs, and runs that have evicted nothing end;',
    'a run that is evicting continues until it is cancelled.',
    ...(goes.length > 0 ? [`It removes ${goes.join(' and ')}.`] : []),
    switches[format],
  ].join(' ');
  return [
    { code: 'enforcement-ends', path: `partition ${partition}`, message, about: ofPartition(partition) },
  ];
}

/** `3 queues (root.a, root.b, root.c)`, the first of them by name. */
function named(queues: readonly QueueInForce[]): string {
  const [only] = queues;
  if (queues.length === 1 && only) return only.path;
  const first = queues
    .slice(0, mostNamed)
    .map(({ path }) => path)
    .join(', ');
  const more = queues.length - mostNamed;
  return `${queues.length} queues (${first}${more > 0 ? ` and ${more} more` : ''})`;
}
