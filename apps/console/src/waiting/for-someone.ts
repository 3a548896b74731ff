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

/** Rows of several partitions by their partition, in the order of the rows; a partition without any is missing. */
export function byPartition<T extends { partition: string }, R = T>(
  rows: readonly T[],
  of: (row: T) => R,
): Map<string, R[]> {
  const found = new Map<string, R[]>();
  for (const row of rows) {
    const known = found.get(row.partition);
    if (known) known.push(of(row));
    else found.set(row.partition, [of(row)]);
  }
  return found;
}
