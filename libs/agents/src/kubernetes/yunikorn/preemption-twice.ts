import { firstOf } from '#contracts';
import type { YunikornPartition, YunikornQueue } from '../../yunikorn/answers.js';

const named = 5;

/** Returns a warning if YuniKorn enforces lowered quotas itself: quota preemption is on, and a queue has a delay. */
export function preemptionTwice(
  { name, quotaPreemptionEnabled }: YunikornPartition,
  queues: readonly YunikornQueue[],
): { code: string; message: string } | undefined {
  if (!quotaPreemptionEnabled) return undefined;
  const late = queues.filter(({ quotaPreemptionDelay }) => !/^(0s|0)$/.test(quotaPreemptionDelay));
  if (late.length === 0) return undefined;
  const list = late.map(({ path, quotaPreemptionDelay }) => `${path} ${quotaPreemptionDelay}`);
  return {
    code: 'scheduler-preempts-too',
    message:
      `YuniKorn enforces lowered quotas of partition ${name} itself (${firstOf(list, named)}), so both would evict: ` +
      'set preemption.quotapreemptionenabled of the partition to false; Curtail still uses the delays',
  };
}
