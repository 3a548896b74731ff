import type { QuotaDecreaseTrigger } from '@curtail/contracts';
import { type Fields, isAbsent, nameAt } from '../fields.js';
import { readAmounts } from '../snapshot/amounts.js';

/** `previousMax` is for people and not checked. Whether the queue exists only the snapshot can show. */
export function readTrigger(trigger: Fields): QuotaDecreaseTrigger {
  const queue = nameAt(trigger.queue, 'trigger.queue');
  if (isAbsent(trigger.target)) return { policy: 'quota-decrease', queue };
  const target: [string, number][] = [];
  readAmounts(trigger.target, 'trigger.target', (type, amount) => target.push([type, amount]));
  return { policy: 'quota-decrease', queue, target: Object.fromEntries(target) };
}
