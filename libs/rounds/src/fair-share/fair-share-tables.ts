import type { DataSource } from 'typeorm';
import type { ShownElement } from '#contracts';
import { deleteOldest, type Tx } from '#event-store';
import type { Exemption } from '../round-policy.js';

/**
 * The time for which rounds of fair-share do not select a victim again that an operator rejected or the cluster refused
 * to evict.
 */
const exemptMinutes = 10;

/** Work that rounds of fair-share do not select for a while. */
export interface ExemptWork {
  /** An operator rejected evictions of them. */
  applications: string[];
  /** The cluster refused to evict them. */
  allocations: string[];
}

/** Exempts work for a while, in the transaction that records the reason. */
export async function exemptWork(
  tx: Tx,
  partition: string,
  { applications, allocations }: ExemptWork,
): Promise<void> {
  const names = [
    ...applications.map((name) => ['application', name] as const),
    ...allocations.map((name) => ['allocation', name] as const),
  ];
  if (names.length === 0) return;
  await tx.query('DELETE FROM exempt_work WHERE until < now()');
  await tx.query(
    `INSERT INTO exempt_work (partition, kind, name, until)
     SELECT DISTINCT $1, kind, name, now() + make_interval(mins => $4)
     FROM unnest($2::text[], $3::text[]) AS exempt (kind, name) ORDER BY 2, 3
     ON CONFLICT (partition, kind, name) DO UPDATE SET until = excluded.until`,
    [partition, names.map(([kind]) => kind), names.map(([, name]) => name), exemptMinutes],
  );
}

/** The work that is exempt now. */
export async function readExemptWork(db: DataSource, partition: string): Promise<ExemptWork> {
  const rows = await db.query<{ kind: string; name: string }[]>(
    'SELECT kind, name FROM exempt_work WHERE partition = $1 AND until >= now() ORDER BY kind, name',
    [partition],
  );
  const of = (wanted: string) => rows.flatMap(({ kind, name }) => (kind === wanted ? [name] : []));
  return { applications: of('application'), allocations: of('allocation') };
}

/** The work that is exempt now with the end of each exemption: applications first, by name, `limit` at most. */
export function listExemptions(db: DataSource, partition: string, limit: number): Promise<Exemption[]> {
  return db.query(
    `SELECT kind, name, to_char(until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS until
     FROM exempt_work WHERE partition = $1 AND until >= now() ORDER BY kind DESC, name LIMIT $2`,
    [partition, limit],
  );
}

/**
 * Records the use of nodes by starts with victims, for the back-off, with the time of the snapshot that the starts were
 * planned on (docs/reference/policies/fair-share.md §12).
 */
export async function notePreemptiveStarts(
  tx: Tx,
  partition: string,
  nodes: Iterable<string>,
  takenAt: string,
): Promise<void> {
  const names = [...new Set(nodes)].sort();
  if (names.length === 0) return;
  await tx.query(
    `INSERT INTO preemptive_nodes (partition, node, last_preemptive_at)
     SELECT $1, node, $3 FROM unnest($2::text[]) AS used (node)
     ON CONFLICT (partition, node) DO UPDATE
       SET last_preemptive_at = greatest(preemptive_nodes.last_preemptive_at, excluded.last_preemptive_at)`,
    [partition, names, takenAt],
  );
}

/**
 * Deletes nodes whose last start is this many days ago, the oldest first.
 *
 * @returns the number of deleted nodes; fewer than `limit` if none is left.
 */
export function trimPreemptiveNodes(db: DataSource, days: number, limit: number): Promise<number> {
  const isOver = 'last_preemptive_at < now() - make_interval(days => $1)';
  return deleteOldest(db, 'preemptive_nodes', { key: ['partition', 'node'], isOver, days, limit });
}

/** Replaces the findings of the round before with those of the last round. */
export async function keepView(
  tx: Tx,
  partition: string,
  { round, takenAt, statuses }: { round: number; takenAt: string; statuses: readonly ShownElement[] },
): Promise<void> {
  await tx.query(
    `INSERT INTO fair_share_views (partition, round, taken_at, statuses) VALUES ($1, $2, $3, $4)
     ON CONFLICT (partition) DO UPDATE
       SET round = excluded.round, taken_at = excluded.taken_at, statuses = excluded.statuses`,
    [partition, round, takenAt, JSON.stringify(statuses)],
  );
}

/** The policy is switched off: removes the findings. */
export async function dropView(tx: Tx, partition: string): Promise<void> {
  await tx.query('DELETE FROM fair_share_views WHERE partition = $1', [partition]);
}

/** What a partition has recorded for a round: its clocks, and when starts with victims last used a node. Times as in JSON. */
interface ClocksOfRound {
  clocks: {
    kind: 'pool' | 'operation' | 'node';
    name: string;
    since: string;
    starvation: string;
    starvingSince: string | null;
  }[];
  used: { node: string; at: string }[];
}

export async function readClocksOfRound(db: DataSource, partition: string): Promise<ClocksOfRound> {
  const [rows] = await db.query<[ClocksOfRound]>(
    `SELECT (SELECT coalesce(json_agg(json_build_object('kind', kind, 'name', name, 'since', since,
                                                        'starvation', starvation, 'starvingSince', starving_since)), '[]')
             FROM starvation_clocks WHERE partition = $1) AS clocks,
            (SELECT coalesce(json_agg(json_build_object('node', node, 'at', last_preemptive_at)), '[]')
             FROM preemptive_nodes WHERE partition = $1) AS used`,
    [partition],
  );
  return rows;
}
