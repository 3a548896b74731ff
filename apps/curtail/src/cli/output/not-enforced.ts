import type { Invocation } from '../invocation/invocation.js';
import { durationText } from './amounts.js';

export const assumedDelay = (seconds: number): string =>
  `a delay of ${durationText(seconds)} for queues that have none, and enforcement that is switched on`;

/** Where nothing would be enforced, a delay to try is what shows the victims. */
export function reportDelayToTry(
  invocation: Invocation,
  delay: number | undefined,
  warnings: readonly { code: string }[],
): void {
  if (delay === undefined && warnings.some(({ code }) => code === 'nothing-enforced')) {
    invocation.report('next: see what would be evicted if it were enforced: add --delay 10m');
  }
}
