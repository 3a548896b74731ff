import { counted, ofEnforcement, ofPartition } from '#contracts';
import type { Attention, EnforcementView, PartitionStatus } from '#contracts/api';

/* Sentences about what waits for a person: `curtail status` and the webhook have the same. */

export const waitsForApproval = ({
  enforcement,
  queue,
  victims,
}: Pick<EnforcementView, 'enforcement' | 'queue' | 'victims'>) => ({
  code: 'waits-for-approval' as const,
  message: `Run ${enforcement} of ${queue} waits for approval of ${counted(victims, 'victim', 'victims')}.`,
  remedy: `review it with curtail explain enforcement ${enforcement}, then curtail approve ${enforcement} or curtail reject ${enforcement}`,
  about: ofEnforcement(enforcement),
});

/** Nothing is planned or evicted on a view that is not known. */
export function clusterUnknown({ partition, known, notices }: PartitionStatus): Attention[] {
  if (known) return [];
  return notices.slice(0, 1).map(({ message, remedy }) => ({
    code: 'cluster-unknown',
    message: `Partition ${partition} waits for its scheduler: ${message}.`,
    remedy,
    about: ofPartition(partition),
  }));
}
