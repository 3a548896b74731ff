import type { QueueUsage } from '../driver.js';

/** Usage of one resource type; in two rows where a part of it is leaving. */
export interface UsagePart {
  leaving: boolean;
  type: string;
  amount: string;
}

export interface UsageRow extends UsagePart {
  queue: string;
}

/**
 * An expression for the usage of the allocations of partition $1 that `which` is true for, as JSON of `UsagePart[]`. Equal amounts are
 * counted before they are expanded, since allocations have few sizes.
 */
export function usageParts(table: 'simulated_allocations' | 'inventory_allocations', which: string): string {
  return `(
    SELECT coalesce(json_agg(part), '[]') FROM (
      SELECT sizes.leaving, amount.key AS type, sum(amount.value::numeric * sizes.count)::text AS amount
      FROM (SELECT state <> 'running' AS leaving, resources, count(*) AS count FROM ${table}
            WHERE partition = $1 AND ${which} GROUP BY 1, 2) AS sizes
      CROSS JOIN LATERAL jsonb_each_text(sizes.resources) AS amount
      GROUP BY 1, 2) AS part)`;
}

/**
 * A query for the usage of each of the queues $2 of the partitions $1: one row for each type, and one more if a part of it is leaving.
 *
 * @param sums a query of (type, usage, in_flight): the stored sums of the queues at and below `q.queue` of `q.partition`.
 */
export const usageOf = (sums: string) => `
  SELECT partition, queue, type, part.leaving, part.amount::text AS amount
  FROM (SELECT q.partition, q.queue, u.type, sum(u.usage) AS usage, sum(u.in_flight) AS in_flight
        FROM unnest($1::text[], $2::text[]) AS q (partition, queue) CROSS JOIN LATERAL (${sums}) AS u GROUP BY 1, 2, 3) AS total
  CROSS JOIN LATERAL (VALUES (true, in_flight), (false, usage - in_flight)) AS part (leaving, amount)`;

/** Sums above 2^53 - 1 become 2^53 - 1, the largest amount that a plan can hold. */
export function sumOfUsage(parts: UsagePart[]): QueueUsage {
  const usage = new Map<string, bigint>();
  const inFlight = new Map<string, bigint>();
  for (const part of parts) {
    add(usage, part);
    if (part.leaving) add(inFlight, part);
  }
  return { usage: toAmounts(usage), inFlight: toAmounts(inFlight) };
}

function add(sum: Map<string, bigint>, { type, amount }: UsagePart): void {
  sum.set(type, (sum.get(type) ?? 0n) + BigInt(amount));
}

function toAmounts(sum: Map<string, bigint>): Record<string, number> {
  const most = BigInt(Number.MAX_SAFE_INTEGER);
  return Object.fromEntries(
    [...sum]
      .filter(([, amount]) => amount > 0n)
      .map(([type, amount]) => [type, Number(amount > most ? most : amount)]),
  );
}
