import type { PolicyChange, ValueChange } from '#api-client';
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
