import type { Trigger } from '@curtail/contracts';
import { InputError } from '@curtail/contracts/plain';
import { isAbsent, nameAt, objectAt } from './fields.js';
import { shown } from './shown.js';
import { readAmounts } from './snapshot/amounts.js';

/**
 * Reads a trigger (docs/reference/snapshot.md, "Trigger"). `previousMax` is for people and not looked at. Whether the queue
 * exists only `plan` can tell.
 *
 * @throws InputError with `trigger.<field>` as the path.
 */
export function readTrigger(input: unknown): Trigger {
  const trigger = objectAt(input, 'trigger');
  if (trigger.policy !== 'quota-decrease') {
    throw new InputError('trigger.policy', `must be "quota-decrease", found ${shown(trigger.policy)}`);
  }
  const queue = nameAt(trigger.queue, 'trigger.queue');
  if (isAbsent(trigger.target)) return { policy: 'quota-decrease', queue };
  const target: [string, number][] = [];
  readAmounts(trigger.target, 'trigger.target', (type, amount) => target.push([type, amount]));
  return { policy: 'quota-decrease', queue, target: Object.fromEntries(target) };
}
