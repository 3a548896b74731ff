import type { QueueUsage } from '../driver.js';

/** What a queue uses of one type; in two rows where a part of it is leaving. */
export interface UsageRow {
  queue: string;
  leaving: boolean;
  type: string;
  amount: string;
}

/** Sums above 2^53 - 1 are given as that, the largest amount that a plan can hold. */
export function toUsage(queues: string[], rows: UsageRow[]): Map<string, QueueUsage> {
  const sums = new Map(queues.map((queue) => [queue, { usage: new Map(), inFlight: new Map() } as Sums]));
  for (const row of rows) {
    const sum = sums.get(row.queue);
    if (sum === undefined) continue;
    add(sum.usage, row);
    if (row.leaving) add(sum.inFlight, row);
  }
  return new Map(
    [...sums].map(([queue, sum]) => [
      queue,
      { usage: toAmounts(sum.usage), inFlight: toAmounts(sum.inFlight) },
    ]),
  );
}

interface Sums {
  usage: Map<string, bigint>;
  inFlight: Map<string, bigint>;
}

function add(sum: Map<string, bigint>, { type, amount }: UsageRow): void {
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
