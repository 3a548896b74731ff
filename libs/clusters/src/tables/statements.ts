import type { DataSource } from 'typeorm';
import { InputError, type Resources } from '#contracts';
import { planForValues, type Tx } from '#event-store';

/**
 * How many allocations are in each queue and below it; queues without any are missing.
 *
 * @param isThere SQL that is true for those that are not gone; its parameters begin with $3.
 */
export async function allocationsHeld(
  db: DataSource | Tx,
  { table, isThere }: { table: 'simulated_allocations' | 'inventory_allocations'; isThere: string },
  partition: string,
  queues: readonly string[],
  ...parameters: readonly unknown[]
): Promise<Map<string, number>> {
  if (queues.length === 0) return new Map();
  const rows = await db.query<{ queue: string; allocations: number }[]>(
    `SELECT q.queue, held.allocations FROM unnest($2::text[]) AS q (queue), LATERAL (
       SELECT count(*)::int AS allocations FROM ${table} a
       WHERE a.partition = $1 AND ${inSubtree('a.queue', 'q.queue')} AND ${isThere}) AS held
     WHERE held.allocations > 0`,
    [partition, queues, ...parameters],
  );
  return new Map(rows.map(({ queue, allocations }) => [queue, allocations]));
}

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

const mostListed = 10_000;

/**
 * Reads a page of a list by id, with a plan for its values. Of a queue that holds most of its partition, rows are read in the order of
 * their ids; of a small queue, its own rows are sorted. One plan for both would sort the large queue again for each page.
 *
 * @throws InputError unless `limit` is between 1 and 10,000 rows.
 */
export async function readListPage<Row>(
  db: DataSource,
  limit: number,
  query: string,
  parameters: readonly unknown[],
): Promise<Row[]> {
  if (!Number.isInteger(limit) || limit < 1 || limit > mostListed) {
    throw new InputError(
      'limit',
      `A limit of ${limit} is not possible: give a whole number from 1 to ${mostListed}.`,
    );
  }
  return db.transaction(async (tx) => {
    await planForValues(tx);
    return tx.query<Row[]>(query, [...parameters]);
  });
}

/** One incarnation of an allocation has saved its work up to `at`. */
export interface Checkpoint {
  partition: string;
  allocation: string;
  /** Absent: whichever runs. */
  uid?: string | undefined;
  at: Date;
}

/**
 * Records a checkpoint beside those of reports; the latest one of an incarnation holds. Plans with `ageFrom: "checkpoint"` and the work
 * lost count from there (docs/reference/policies/victim-care.md §3). A time in the future counts as now, by the clock of the database.
 *
 * @returns whether the incarnation is there.
 */
export async function recordCheckpoint(
  tx: Pick<Tx, 'query'>,
  { partition, allocation, uid, at }: Checkpoint,
): Promise<boolean> {
  const update = (table: string, also: string) => `
    UPDATE ${table}
    SET checkpointed_at = greatest(checkpointed_at, least($4::timestamptz, date_trunc('milliseconds', now())))
    WHERE partition = $1 AND id = $2 AND ($3::text IS NULL OR uid::text = $3) AND ${also} RETURNING 1`;
  const [row] = await tx.query<[{ found: boolean }]>(
    `WITH reported AS (${update('inventory_allocations', 'NOT gone')}),
          simulated AS (${update('simulated_allocations', '(gone_at IS NULL OR gone_at > now())')})
     SELECT EXISTS (SELECT FROM reported) OR EXISTS (SELECT FROM simulated) AS found`,
    [partition, allocation, uid ?? null, at],
  );
  return row.found;
}

/**
 * SQL that is true for a queue and all queues below it. `path` is an expression of the queue's path. Everything below
 * `root.a` starts with `root.a.`, and `/` is the byte after `.`. The first two terms repeat the third as a single range for the
 * index: with the OR alone the server reads the whole partition. The third term excludes paths in that range that are not below the
 * queue, such as `root.a-b`.
 */
export function inSubtree(column: string, path: string): string {
  return `(${column} >= ${path} AND ${column} < ${path} || '/' AND (${column} = ${path} OR ${column} > ${path} || '.'))`;
}

/**
 * As `inSubtree` of the column `queue`, for a page of a list by id. All queues are below the root: without a range of queues the server
 * reads the page by its ids alone, instead of all that the range holds.
 */
export function listedBelow(queue: string, parameter: `$${number}`): string {
  return queue === 'root' ? `${parameter}::text = 'root'` : inSubtree('queue', `${parameter}::text`);
}
