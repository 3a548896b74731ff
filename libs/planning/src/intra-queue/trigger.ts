import type { IntraQueueTrigger } from '#contracts';
import { type Fields, isAbsent, nameAt } from '../fields.js';

export function readTrigger({ queue }: Fields): IntraQueueTrigger {
  return { policy: 'intra-queue', ...(isAbsent(queue) ? {} : { queue: nameAt(queue, 'trigger.queue') }) };
}
