import { counted } from '@curtail/contracts';
import { printable } from './printable.js';

/** At most this many queues are named. */
const named = 10;

/** Lists queues whose properties for policies change (weights, timeouts); `curtail diff` shows each change. */
export function propertyLines(queues: readonly string[] = [], isPreview: boolean): string[] {
  if (queues.length === 0) return [];
  const more = queues.length > named ? ` and ${queues.length - named} more` : '';
  const which = `${queues.slice(0, named).map(printable).join(', ')}${more}`;
  return [
    `properties of ${counted(queues.length, 'queue')} ${isPreview ? 'would change' : 'changed'}: ${which}`,
  ];
}
