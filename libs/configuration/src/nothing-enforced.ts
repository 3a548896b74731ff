import type { Problems } from './problems.js';
import type { PartitionTree, QueueTree } from './tree.js';

const noDelay = 'no queue with a max has a quota.preemption.delay';
const switchedOff = 'preemption.quotapreemptionenabled is not true';
const giveDelay = 'give one to the queues whose lowered quotas are to be enforced';
const switchOn =
  'set it to true; only an agent that takes the configuration from YuniKorn enforces lowered quotas without it';

/**
 * `nothing-enforced`: the partition has quotas, and lowering one of them would have no effect. docs/reference/policies/quota-decrease.md §2.2
 *
 * @param isSwitchedOn the sender turns the switch on, whatever the configuration says.
 */
export function warnOfNothingEnforced(
  { origin, root, quotaPreemptionEnabled, independentQuotas = false }: PartitionTree,
  delays: ReadonlyMap<QueueTree, bigint>,
  problems: Problems,
  isSwitchedOn = false,
): void {
  // Quotas of namespaces are each their author's own: those without a delay are not meant.
  if (independentQuotas || problems.any) return;
  const limited = queuesOf(root).filter(({ max }) => max.size > 0);
  if (limited.length === 0) return;
  const isDelayed = limited.some((queue) => (delays.get(queue) ?? 0n) > 0n);
  const isOn = isSwitchedOn || quotaPreemptionEnabled;
  if (isDelayed && isOn) return;
  const causes = [...(isDelayed ? [] : [noDelay]), ...(isOn ? [] : [switchedOff])];
  const remedies = [...(isDelayed ? [] : [giveDelay]), ...(isOn ? [] : [switchOn])];
  const message = `nothing will be enforced, because ${causes.join(', and ')}: ${remedies.join('; ')}`;
  problems.warning('nothing-enforced', origin.path, message, origin);
}

const queuesOf = (queue: QueueTree): QueueTree[] => [queue, ...queue.children.flatMap(queuesOf)];
