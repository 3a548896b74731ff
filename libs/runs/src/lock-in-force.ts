/**
 * SQL: the fencing token of the lock that a run holds now, null if it holds none. The run is a row `run` with
 * partition, queue and enforcement. The lock of a round is void once its policy is switched off or has other settings
 * than the round was planned with.
 */
export const LOCK_IN_FORCE = `
  coalesce((SELECT fencing_token FROM clocks s
            WHERE s.partition = run.partition AND s.queue = run.queue AND running_enforcement = run.enforcement),
           (SELECT r.fencing_token FROM rounds r JOIN partitions p USING (partition)
            WHERE r.partition = run.partition AND r.enforcement = run.enforcement AND r.state = 'executing'
              AND (p.policies -> r.policy)::jsonb = r.settings),
           (SELECT e.fencing_token FROM runs e JOIN partitions p USING (partition)
            WHERE e.enforcement = run.enforcement AND own_lock
              AND (p.policies -> e.policy)::jsonb = e.settings))`;
