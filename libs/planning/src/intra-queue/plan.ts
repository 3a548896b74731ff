import type { IntraQueueTrigger, Plan } from '@curtail/contracts';
import { InputError, readIntraQueueSettings } from '@curtail/contracts/plain';
import type { Snapshot } from '../snapshot/columns.js';

export function planIntraQueue(_snapshot: Snapshot, _trigger: IntraQueueTrigger, settings: unknown): Plan {
  readIntraQueueSettings(settings);
  throw new InputError('trigger.policy', 'in-queue preemption is not planned yet');
}
