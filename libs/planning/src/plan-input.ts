import type { Plan } from '@curtail/contracts';
import { planFairShare } from './fair-share/plan.js';
import { readFairShareSnapshot } from './fair-share/snapshot/read.js';
import { objectAt } from './fields.js';
import { plan } from './plan.js';
import { readSnapshot } from './snapshot/read.js';
import { readTrigger } from './trigger.js';

/**
 * Plans one `{snapshot, trigger, settings}` of the contract, as a file or a line of a batch holds it, under any policy.
 *
 * @throws InputError for anything that cannot be planned.
 */
export function planInput(input: unknown): Plan {
  const { snapshot, trigger, settings } = objectAt(input, 'input');
  // Which policy it is says what a snapshot has to be, and what is wrong with it: fair shares need other columns than
  // `readSnapshot` gives.
  if (readTrigger(trigger).policy === 'fair-share') {
    return planFairShare(readFairShareSnapshot(snapshot), trigger, settings);
  }
  return plan(readSnapshot(snapshot), trigger, settings);
}
