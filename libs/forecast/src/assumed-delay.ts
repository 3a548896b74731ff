import type { QueueInForce } from '#clusters/planning-view';

/**
 * The queues with a delay for those that have a max and no delay, for a question such as "what if its quota were enforced?".
 *
 * @param isMeant the queues that may get it; default all.
 */
export function withAssumedDelay(
  queues: readonly QueueInForce[],
  delayMs: number,
  isMeant: (path: string) => boolean = () => true,
): QueueInForce[] {
  return queues.map((queue) => {
    const isLimited =
      Object.keys(queue.max ?? {}).length > 0 || (queue.clusterShare?.max ?? undefined) !== undefined;
    return isLimited && queue.delayMs === 0 && isMeant(queue.path) ? { ...queue, delayMs } : queue;
  });
}
