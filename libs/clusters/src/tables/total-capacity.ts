import type { Resources } from '@curtail/contracts';
import type { DataSource } from 'typeorm';

const inForce = { simulated_nodes: 'true', inventory_nodes: 'NOT gone' } as const;

/** The total capacity of all nodes of a partition; sums above 2^53 - 1 become 2^53 - 1. */
export async function totalCapacity(
  db: DataSource,
  table: keyof typeof inForce,
  partition: string,
): Promise<Resources> {
  const rows = await db.query<{ type: string; amount: string }[]>(
    `SELECT type, least(sum(amount::numeric), ${Number.MAX_SAFE_INTEGER})::text AS amount
     FROM ${table}, jsonb_each_text(capacity) AS of(type, amount)
     WHERE partition = $1 AND ${inForce[table]} GROUP BY type ORDER BY type`,
    [partition],
  );
  return Object.fromEntries(rows.map(({ type, amount }) => [type, Number(amount)]));
}
