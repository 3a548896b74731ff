import type { Resources } from '#contracts';
import type { ConfigurationQueue, ExactAmounts } from './result.js';
import type { Amounts, PartitionTree, QueueTree } from './tree.js';

/** The queues of a partition, depth first. */
export function listedQueues(
  partition: PartitionTree,
  delays: ReadonlyMap<QueueTree, bigint>,
): ConfigurationQueue[] {
  const queues: ConfigurationQueue[] = [];
  const visit = (queue: QueueTree) => {
    queues.push(listedQueue(partition.name, queue, delays.get(queue) ?? 0n));
    for (const child of queue.children) visit(child);
  };
  visit(partition.root);
  return queues;
}

/** @param ms its effective delay. */
export function listedQueue(partition: string, queue: QueueTree, ms: bigint): ConfigurationQueue {
  const exact = { max: exactOf(queue.max), guaranteed: exactOf(queue.guaranteed) };
  return {
    partition,
    path: queue.path,
    max: carried(exact.max),
    guaranteed: carried(exact.guaranteed),
    ...(queue.clusterShare === undefined ? {} : { clusterShare: queue.clusterShare }),
    ...(queue.properties === undefined ? {} : { properties: queue.properties }),
    exact,
    delaySeconds: ms % 1000n === 0n ? Number(ms / 1000n) : Number(ms) / 1000,
    delayMs: capped(ms),
    parent: queue.parent,
  };
}

function exactOf(amounts: Amounts): ExactAmounts | null {
  if (amounts.size === 0) return null;
  const types = [...amounts.keys()].sort();
  return Object.fromEntries(types.map((type) => [type, amounts.get(type)?.value ?? 0n]));
}

function carried(amounts: ExactAmounts | null): Resources | null {
  if (amounts === null) return null;
  return Object.fromEntries(Object.entries(amounts).map(([type, amount]) => [type, capped(amount)]));
}

function capped(amount: bigint): number {
  return amount < BigInt(Number.MAX_SAFE_INTEGER) ? Number(amount) : Number.MAX_SAFE_INTEGER;
}
