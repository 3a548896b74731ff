import type { QuotaDecreaseTrigger } from '#contracts';
import { arrayAt, type Fields, isAbsent, nameAt } from '../fields.js';
import { readAmounts } from '../snapshot/amounts.js';

/** `previousMax` is for people and not checked. Whether the queue exists only the snapshot can show. */
export function readTrigger(trigger: Fields): QuotaDecreaseTrigger {
  const queue = nameAt(trigger.queue, 'trigger.queue');
  const avoid = isAbsent(trigger.avoid)
    ? []
    : arrayAt(trigger.avoid, 'trigger.avoid').map((id, i) => nameAt(id, `trigger.avoid[${i}]`));
  const read = { policy: 'quota-decrease' as const, queue, ...(avoid.length > 0 && { avoid }) };
  if (isAbsent(trigger.target)) return read;
  const target: [string, number][] = [];
  readAmounts(trigger.target, 'trigger.target', (type, amount) => target.push([type, amount]));
  return { ...read, target: Object.fromEntries(target) };
}
