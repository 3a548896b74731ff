import type { Tx } from '@curtail/event-store';

/**
 * Of a partition that has another configuration: rounds that were planned with other settings, and runs that outlived them, lose
 * their lock for good, also if the old settings come back. Runs look at once, and end.
 */
export async function endOutdatedRounds(tx: Tx, partition: string): Promise<void> {
  await tx.query(
    `UPDATE rounds r SET settings = NULL FROM partitions p
     WHERE r.partition = $1 AND p.partition = $1 AND r.state = 'executing'
       AND (p.policies -> r.policy)::jsonb IS DISTINCT FROM r.settings`,
    [partition],
  );
  await tx.query(
    `UPDATE executions e SET own_lock = false, next_step_at = least(coalesce(next_step_at, 'infinity'), now())
     FROM partitions p
     WHERE e.partition = $1 AND p.partition = $1 AND own_lock
       AND (p.policies -> 'fair-share')::jsonb IS DISTINCT FROM e.settings`,
    [partition],
  );
}
