import { setFlagsFromString } from 'node:v8';

/**
 * Sets the garbage collector of V8: the heap may grow by 300 % between full collections, instead of about 50 %. With
 * ten thousand clocks and a hundred runs a second, a full collection ran every 8 seconds and delayed timers that were
 * due by a tenth of a second: its duration depends on the live memory, not on the garbage. The limit of the heap, and
 * with it that of a container, does not change: close to it, collections are as frequent as before.
 *
 * A process that has become idle gives up its garbage with one full collection. V8 would run up to three, each as long as
 * the first, although those after it find next to nothing.
 */
export function collectSeldom(): void {
  setFlagsFromString('--heap-growing-percent=300');
  setFlagsFromString('--memory-reducer-single-gc');
}
