import { type FairShareTrigger, InputError } from '#contracts';
import { type Fields, isAbsent } from '../fields.js';

export function readTrigger(trigger: Fields): FairShareTrigger {
  for (const name of ['queue', 'target']) {
    if (isAbsent(trigger[name])) continue;
    throw new InputError(`trigger.${name}`, 'must be left out: the policy fair-share plans the whole tree');
  }
  return { policy: 'fair-share' };
}
