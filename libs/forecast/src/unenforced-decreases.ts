import type { QueueInForce } from '#clusters/planning-view';
import { isLowered } from '#configuration';
import { counted, nodeLabelsOf, ofQueue, type Resources, resolveShares } from '#contracts';
import type { ConfigurationWarning } from '#contracts/api';
import { valuesOf } from './changes.js';

const mostNamed = 5;

/** A configuration as it would be in force. */
interface Proposal {
  /** The switch of the partition. */
  enabled: boolean;
  queues: readonly QueueInForce[];
}

/**
 * `nothing-enforced`: queues whose max goes down without a run that would follow. Where node labels keep everything from being enforced,
 * another warning says so.
 *
 * @param clusterSize resolves shares of the cluster.
 */
export function unenforcedDecreases(
  before: readonly QueueInForce[],
  { enabled, queues }: Proposal,
  clusterSize: Resources = {},
): ConfigurationWarning[] {
  if (nodeLabelsOf(queues).length > 0) return [];
  const known = new Map(before.map((queue) => [queue.path, queue]));
  const lowered = queues.filter((queue) => {
    const old = known.get(queue.path);
    if (!old || (enabled && queue.delayMs > 0)) return false;
    return isLowered(valuesOf(resolveShares(old, clusterSize)), valuesOf(resolveShares(queue, clusterSize)));
  });
  const more = lowered.length - mostNamed;
  return lowered.slice(0, mostNamed).map(({ path, delayMs }, index) => {
    const further =
      more > 0 && index === mostNamed - 1
        ? ` The same holds for ${counted(more, 'more lowered queue')}.`
        : '';
    const message = `nothing will be enforced, because ${causeOf(enabled, delayMs)}: what is above the lowered max stays until it ends by itself.${further}`;
    return { code: 'nothing-enforced' as const, path, message, about: ofQueue(path) };
  });
}

function causeOf(enabled: boolean, delayMs: number): string {
  const causes = [
    ...(delayMs > 0 ? [] : ['its delay is 0']),
    ...(enabled ? [] : ['the enforcement of quotas is off in the partition']),
  ];
  return causes.join(' and ');
}
