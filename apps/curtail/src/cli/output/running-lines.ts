import { counted } from '@curtail/contracts';
import type { Applied } from '@curtail/contracts/api';
import type { Invocation } from '../invocation.js';
import { printable } from './printable.js';

/** The effect of an applied or previewed configuration on runs in progress: those that evict continue until cancelled. */
export function runningLines(
  { running = [], quotaPreemptionEnabled: on }: Pick<Applied, 'running' | 'quotaPreemptionEnabled'>,
  invocation: Invocation,
): string[] {
  return running.map(({ queue, enforcement, evicting, evicted }) => {
    const run = `run ${enforcement} of ${printable(queue)}`;
    if (evicting) {
      const cancel = invocation.hint(`curtail cancel ${enforcement}`);
      return `${run} has begun (${counted(evicted, 'eviction')}) and continues with the quota it began with; to end it: ${cancel}`;
    }
    return on
      ? `${run} has evicted nothing: it evicts only what the quota in force needs`
      : `${run} has evicted nothing and ends`;
  });
}
