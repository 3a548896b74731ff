import type { DataSource, EntityManager } from 'typeorm';

/** The decision of an operator that a run follows. */
export interface RejectedChange {
  /** The version of the configuration. */
  configuration: number;
  by: string;
}

/** The rejection of the configuration that a run of a queue would have as its cause; undefined without one. */
export async function rejectedChange(
  db: DataSource | EntityManager,
  partition: string,
  queue: string,
): Promise<RejectedChange | undefined> {
  const rows: RejectedChange[] = await db.query(
    `SELECT d.configuration, d.decided_by AS by
     FROM clocks s,
       LATERAL (SELECT version, previous FROM configurations c
                WHERE c.partition = s.partition AND c.version >= s.config_version ORDER BY c.version LIMIT 1) AS c
       JOIN configuration_decisions d ON d.configuration = c.version
     WHERE s.partition = $1 AND s.queue = $2 AND coalesce(c.previous, 0) < s.config_version AND d.partition = s.partition AND NOT d.approved`,
    [partition, queue],
  );
  return rows[0];
}
