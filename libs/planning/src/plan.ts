import type { Plan } from '@curtail/contracts';
import { InputError } from '@curtail/contracts';
import { planIntraQueue } from './intra-queue/plan.js';
import { planQuotaDecrease } from './quota-decrease/plan.js';
import type { Snapshot } from './snapshot/columns.js';
import { readTrigger } from './trigger.js';

/**
 * Plans what the trigger asks for, from the columns that `readSnapshot` gives. The same three inputs give the same plan, byte
 * for byte once it is written as JSON.
 *
 * @param trigger docs/reference/snapshot.md, "Trigger"
 * @param settings one flat object of the trigger's policy, or nothing (docs/reference/snapshot.md, "Settings")
 * @throws InputError for a trigger or settings that are wrong, with `trigger.<field>` or `settings.<name>` as the path, and
 *   for what the snapshot lacks of what this policy needs.
 */
export function plan(snapshot: Snapshot, trigger: unknown, settings?: unknown): Plan {
  const read = readTrigger(trigger);
  switch (read.policy) {
    case 'quota-decrease':
      return planQuotaDecrease(snapshot, read, settings);
    case 'intra-queue':
      return planIntraQueue(snapshot, read, settings);
    case 'fair-share':
      throw new InputError(
        'trigger.policy',
        'must be "quota-decrease" or "intra-queue", found "fair-share", which reads its snapshot in another way',
      );
  }
}
