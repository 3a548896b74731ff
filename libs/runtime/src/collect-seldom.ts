import { setFlagsFromString } from 'node:v8';

/**
 * Lets three times as much garbage as live memory gather before all of it is collected, in place of some half as much. With
 * ten thousand clocks and a hundred runs a second that was every 8 seconds, and for a tenth of a second each time whatever was
 * due then was late: what a collection takes goes by what lives, not by how much it frees. The limit of the heap, and with it
 * that of a container, stays as it is: near it, collections are as frequent as ever.
 */
export function collectSeldom(): void {
  setFlagsFromString('--heap-growing-percent=300');
}
