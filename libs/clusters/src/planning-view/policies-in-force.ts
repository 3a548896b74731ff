import type { DataSource, EntityManager } from 'typeorm';
import type { PartitionPolicies } from '#configuration';

/** The policies that run in each partition with a configuration, with their settings; `partition` for one of them. */
export async function policiesInForce(
  db: DataSource | EntityManager,
  partition?: string,
): Promise<Map<string, PartitionPolicies>> {
  const rows = await db.query<{ partition: string; policies: PartitionPolicies }[]>(
    'SELECT partition, policies FROM partitions WHERE $1::text IS NULL OR partition = $1 ORDER BY partition',
    [partition ?? null],
  );
  return new Map(rows.map((row) => [row.partition, row.policies]));
}
