import type { DataSource } from 'typeorm';
import type { Resources } from '#contracts';

const inForce = { simulated_nodes: 'true', inventory_nodes: 'NOT gone' } as const;

/** The total capacity of all nodes of each of the partitions, in their order; sums above 2^53 - 1 become 2^53 - 1. */
export async function totalCapacities(
  db: DataSource,
  table: keyof typeof inForce,
  partitions: readonly string[],
): Promise<Resources[]> {
  const rows = await db.query<{ partition: string; type: string; amount: string }[]>(
    `SELECT partition, type, least(sum(amount::numeric), ${Number.MAX_SAFE_INTEGER})::text AS amount
     FROM ${table}, jsonb_each_text(capacity) AS of(type, amount)
     WHERE partition = ANY ($1) AND ${inForce[table]} GROUP BY partition, type ORDER BY partition, type`,
    [partitions],
  );
  const found = new Map<string, Record<string, number>>(partitions.map((partition) => [partition, {}]));
  for (const { partition, type, amount } of rows) found.get(partition)![type] = Number(amount);
  return partitions.map((partition) => found.get(partition)!);
}
