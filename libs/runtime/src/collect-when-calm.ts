import { getHeapStatistics } from 'node:v8';
import { collectAll } from './collect-after-start.js';

const everyMs = 10_000;

/**
 * Collects what a great deal of work has left, such as a configuration of a hundred thousand queues, once it is over: the heap may have
 * grown fourfold by then (`collectSeldom`), and V8 would keep that until there is as much work again.
 */
export function collectWhenCalm(): void {
  let heap = getHeapStatistics().total_heap_size;
  let cpu = process.cpuUsage();
  setInterval(async () => {
    const { user, system } = process.cpuUsage(cpu);
    cpu = process.cpuUsage();
    const now = getHeapStatistics().total_heap_size;
    heap = Math.min(heap, now);
    if (!isWorthCollecting({ grownBytes: now - heap, busy: (user + system) / (everyMs * 1000) })) return;
    await collectAll();
    heap = getHeapStatistics().total_heap_size;
  }, everyMs).unref();
}

const leastBytes = 128 * 1024 * 1024;
const calm = 0.05;

/**
 * A collection holds up everything else for about a fifth of a second.
 *
 * @param grownBytes of the heap, since it was smallest after a collection.
 * @param busy the share of a core that the process has used lately.
 */
export function isWorthCollecting({ grownBytes, busy }: { grownBytes: number; busy: number }): boolean {
  return grownBytes >= leastBytes && busy < calm;
}
