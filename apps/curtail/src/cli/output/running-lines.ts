import type { Applied } from '#api-client';
import { counted } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { printable } from '../terminal/printable.js';

/** The effect of an applied or previewed configuration on runs in progress: those that evict continue until cancelled. */
export function runningLines(
  { running = [], quotaPreemptionEnabled: on }: Pick<Applied, 'running' | 'quotaPreemptionEnabled'>,
  invocation: Invocation,
): string[] {
  return running.map(({ queue, enforcement, evicting, evicted }) => {
    const where = printable(queue);
    const toCancel = `To cancel it: ${invocation.hint(`curtail cancel ${enforcement}`)}`;
    if (evicting) {
      const run = `A run is in progress in ${where} (${enforcement}, ${counted(evicted, 'eviction')} so far) and continues with the quota it began with`;
      return `${run}; this change is judged when it ends. ${toCancel}`;
    }
    const run = `A run is in progress in ${where} (${enforcement}) and has evicted nothing yet`;
    return on ? `${run}: it evicts only what the quota in force needs. ${toCancel}` : `${run}: it ends.`;
  });
}
