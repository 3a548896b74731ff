import type { QuotaDecreaseTrigger, Trigger } from '@curtail/contracts';
import { InputError, shown } from '@curtail/contracts';
import { type Fields, isAbsent, nameAt, objectAt } from './fields.js';
import { readAmounts } from './snapshot/amounts.js';

/**
 * Reads a trigger (docs/reference/snapshot.md, "Trigger"). `previousMax` is for people and not looked at. Whether the queue
 * exists only `plan` can tell.
 *
 * @throws InputError with `trigger.<field>` as the path.
 */
export function readTrigger(input: unknown): Trigger {
  const trigger = objectAt(input, 'trigger');
  switch (trigger.policy) {
    case 'quota-decrease':
      return readQuotaDecrease(trigger);
    case 'intra-queue':
      if (isAbsent(trigger.queue)) return { policy: 'intra-queue' };
      return { policy: 'intra-queue', queue: nameAt(trigger.queue, 'trigger.queue') };
    case 'fair-share':
      return { policy: 'fair-share' };
    default:
      throw new InputError(
        'trigger.policy',
        `must be "quota-decrease", "intra-queue" or "fair-share", found ${shown(trigger.policy)}`,
      );
  }
}

function readQuotaDecrease(trigger: Fields): QuotaDecreaseTrigger {
  const queue = nameAt(trigger.queue, 'trigger.queue');
  if (isAbsent(trigger.target)) return { policy: 'quota-decrease', queue };
  const target: [string, number][] = [];
  readAmounts(trigger.target, 'trigger.target', (type, amount) => target.push([type, amount]));
  return { policy: 'quota-decrease', queue, target: Object.fromEntries(target) };
}
