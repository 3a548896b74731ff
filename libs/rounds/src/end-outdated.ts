import type { Tx } from '#event-store';
import { endOutdatedRuns } from '#runs';

/**
 * For a partition with a new configuration: rounds that were planned with other settings, and runs that outlived them,
 * lose their lock permanently, even if the old settings return. The next steps of the runs are due at once, and end
 * them.
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
