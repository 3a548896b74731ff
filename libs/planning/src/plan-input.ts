import type { Plan } from '@curtail/contracts';
import { objectAt } from './fields.js';
import { plan } from './plan.js';
import { readSnapshot } from './snapshot/read.js';

/**
 * Plans one `{snapshot, trigger, settings}` of the contract, as a file or a line of a batch holds it, under any policy.
 *
 * @throws InputError for anything that cannot be planned.
 */
export function planInput(input: unknown): Plan {
  const { snapshot, trigger, settings } = objectAt(input, 'input');
  // A policy that does not plan from the columns of `readSnapshot` (fair-share) is told apart here, by `trigger.policy`.
  return plan(readSnapshot(snapshot), trigger, settings);
}
