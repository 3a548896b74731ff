import { counted, firstOf } from '#contracts';
import { printable } from '../terminal/printable.js';

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
