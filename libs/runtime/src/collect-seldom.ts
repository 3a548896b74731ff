import { setFlagsFromString } from 'node:v8';

/**
 * Sets the garbage collector of V8: the heap may grow by 300 % between full collections, instead of about 50 %. With
 * ten thousand clocks and a hundred runs a second, a full collection ran every 8 seconds and delayed timers that were
 * due by a tenth of a second: its duration depends on the live memory, not on the garbage. The limit of the heap, and
 * with it that of a container, does not change: close to it, collections are as frequent as before.
 *
 * Other flags of the collector may end a process that is running already: V8 checks them against what it has done until then.
 */
export function collectSeldom(): void {
  setFlagsFromString('--heap-growing-percent=300');
}
