import type { DataSource } from 'typeorm';
import { inSubtree } from './statements.js';

/** Statements that read versions; their parameters are $1 the partition and $2 the queues. */
export interface VersionTables {
  prefix: 'simulated' | 'inventory';
  /** SQL that is true for rows of this name that are there. */
  isThere(row: string): string;
  /** SQL of an aggregate of allocations `a`: the work also changes with the time. */
  changesByItself: string;
  /** SQL: the partition changes with the time. */
  isUnderWay: string;
}

/**
 * The versions of the work of queues, with the nodes and budgets of their partition (`ClusterReader.versions`). PostgreSQL writes a changed
 * row to another place, or under another transaction: both together name what a row says, and nothing has to be kept up to date.
 */
export async function workVersions(
  db: DataSource,
  { prefix, isThere, changesByItself, isUnderWay }: VersionTables,
  partition: string,
  queues: readonly string[],
  ...parameters: readonly unknown[]
): Promise<Map<string, string>> {
  if (queues.length === 0) return new Map();
  const ofPartition = (things: string) =>
    `(SELECT ${versionOf('t')} FROM ${prefix}_${things} t WHERE partition = $1)`;
  const rows = await db.query<{ queue: string; version: string }[]>(
    `WITH whole AS MATERIALIZED (
       SELECT concat_ws(' ', ${ofPartition('nodes')}, ${ofPartition('budgets')}) AS version WHERE NOT (${isUnderWay}))
     SELECT q.queue, concat_ws(' ', allocations.version, applications.version, whole.version) AS version
     FROM whole, unnest($2::text[]) AS q (queue), LATERAL (
       SELECT ${versionOf('a', 'known')} AS version, ${changesByItself} AS "changesByItself"
       FROM ${prefix}_allocations a
       LEFT JOIN ${prefix}_applications known ON known.partition = a.partition AND known.id = a.application
       WHERE a.partition = $1 AND ${inSubtree('a.queue', 'q.queue')} AND ${isThere('a')}) AS allocations, LATERAL (
       SELECT ${versionOf('p')} AS version FROM ${prefix}_applications p
       WHERE p.partition = $1 AND ${inSubtree('p.queue', 'q.queue')} AND ${isThere('p')}) AS applications
     WHERE allocations."changesByItself" IS NOT TRUE`,
    [partition, queues, ...parameters],
  );
  return new Map(rows.map(({ queue, version }) => [queue, version]));
}

/** SQL of an aggregate: it changes with every row that is added, written or removed. */
function versionOf(...rows: string[]): string {
  const each = rows.flatMap((row) => [`${row}.ctid`, `${row}.xmin`]).join(', ');
  return `count(*) || '/' || coalesce(bit_xor(hashtextextended(concat_ws(' ', ${each}), 0)), 0)`;
}
