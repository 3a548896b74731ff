import type { Applied, PolicyChange, ValueChange } from '#api-client';
import { counted, firstOf } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { printable } from '../terminal/printable.js';

/** A line for each policy of a partition that starts, ends or gets other settings; in a preview, that it would. */
export function policyLines(changes: readonly PolicyChange[] | undefined, preview: boolean): string[] {
  return (changes ?? []).map(({ policy, change, settings }) => {
    if (change === 'starts') return `policy ${policy} ${preview ? 'would run' : 'runs'} from now on`;
    if (change === 'ends') return `policy ${policy} ${preview ? 'would no longer run' : 'no longer runs'}`;
    const changed = settings.map(valueText).join('; ');
    return `policy ${policy} ${preview ? 'would run' : 'runs'} with other settings: ${changed}`;
  });
}

/** `maxAllowableLimit 0.2 -> 0.3` */
function valueText({ name, from, to }: ValueChange): string {
  return `${name} ${plainText(from)} -> ${plainText(to)}`;
}

/** A value on one line; `not set` without one. */
export function plainText(value: unknown): string {
  if (value === undefined) return 'not set';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return printable(text.length > 60 ? `${text.slice(0, 57)}...` : text);
}

/** At most this many queues are named. */
const named = 10;

/** Lists queues whose properties for policies change (weights, timeouts); `curtail diff` shows each change. */
export function propertyLines(queues: readonly string[] = [], isPreview: boolean): string[] {
  if (queues.length === 0) return [];
  const which = firstOf(queues.map(printable), named);
  return [
    `properties of ${counted(queues.length, 'queue')} ${isPreview ? 'would change' : 'changed'}: ${which}`,
  ];
}

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
