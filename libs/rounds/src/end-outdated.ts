import type { Tx } from '@curtail/event-store';
import { endOutdatedRuns } from '@curtail/runs';

/**
 * Of a partition that has another configuration: rounds that were planned with other settings, and runs that outlived them, lose
 * their lock for good, also if the old settings come back. Runs check at once, and end.
 */
export async function endOutdatedRounds(tx: Tx, partition: string): Promise<void> {
  await tx.query(
    `UPDATE rounds r SET settings = NULL FROM partitions p
     WHERE r.partition = $1 AND p.partition = $1 AND r.state = 'executing'
       AND (p.policies -> r.policy)::jsonb IS DISTINCT FROM r.settings`,
    [partition],
  );
  await endOutdatedRuns(tx, partition);
}
