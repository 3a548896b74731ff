import { Column, type DataSource, Entity, PrimaryColumn, Raw } from 'typeorm';
import { chain, type ShownElement } from '#contracts';
import type { Observation, StarvationClock, Starving } from '#enforcement';
import { deleteOldest, type Tx } from '#event-store';
import { StaleObservation } from '../planned-round.js';
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
  await tx.delete(ExemptThing, { until: isOver });
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
  const rows = await db.getRepository(ExemptThing).find({
    where: { partition, until: isAhead },
    order: { kind: 'ASC', name: 'ASC' },
  });
  const of = (wanted: string) => rows.flatMap(({ kind, name }) => (kind === wanted ? [name] : []));
  return { applications: of('application'), allocations: of('allocation') };
}

/** The work that is exempt now with the end of each exemption: applications first, by name, `limit` at most. */
export async function listExemptions(db: DataSource, partition: string, limit: number): Promise<Exemption[]> {
  const rows = await db.getRepository(ExemptThing).find({
    where: { partition, until: isAhead },
    order: { kind: 'DESC', name: 'ASC' },
    take: limit,
  });
  return rows.map(({ kind, name, until }) => ({ kind, name, until: until.toISOString() }));
}

/** By the clock of the database. */
const isOver = Raw((column) => `${column} < now()`);
const isAhead = Raw((column) => `${column} >= now()`);

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
  const view = { partition, round: String(round), takenAt: new Date(takenAt), statuses };
  await tx.getRepository(FairShareView).upsert(view, ['partition']);
}

/** The policy is switched off: removes the findings. */
export async function dropView(tx: Tx, partition: string): Promise<void> {
  await tx.delete(FairShareView, { partition });
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

interface ClockRow {
  kind: StarvationClock['kind'];
  name: string;
  queue: string;
  since: Date;
  starvation: StarvationClock['starvation'];
  starving_since: Date | null;
  due_at: Date | null;
}

/** The clocks of a partition as its last observation left them. */
export async function readStarvationClocks(
  db: DataSource | Tx,
  partition: string,
): Promise<StarvationClock[]> {
  const rows = await db.query<ClockRow[]>(
    `SELECT kind, name, queue, since, starvation, starving_since, due_at FROM starvation_clocks
     WHERE partition = $1 ORDER BY kind, name`,
    [partition],
  );
  return rows.map(({ since, starving_since, due_at, ...row }) => ({
    ...row,
    since: since.toISOString(),
    starvingSince: starving_since?.toISOString() ?? null,
    dueAt: due_at?.toISOString() ?? null,
  }));
}

/** How many clocks of each kind are in each state, over all partitions. */
export async function countStarvationClocks(
  db: DataSource,
): Promise<{ kind: string; starvation: string; count: number }[]> {
  return db.query('SELECT kind, starvation, count(*)::int AS count FROM starvation_clocks GROUP BY 1, 2');
}

/** The operation, if it starves, and the pools from its queue up that do. */
export async function starvingAbove(
  db: DataSource,
  partition: string,
  { operation, queue }: { operation: string; queue: string },
): Promise<Starving[]> {
  return db.query(
    `SELECT kind, name, starvation AS state FROM starvation_clocks
     WHERE partition = $1 AND starvation IN ('starving', 'aggressively_starving')
       AND ((kind = 'operation' AND name = $2) OR (kind = 'pool' AND name = ANY ($3::text[])))`,
    [partition, operation, chain(queue)],
  );
}

/** Holds the row of the partition until the end of the transaction. */
export async function takeObservationTurn(tx: Tx, { partition, at }: Observation): Promise<void> {
  const rows = await tx.query<unknown[]>(
    `INSERT INTO starvation_observations (partition, observed_at) VALUES ($1, $2)
     ON CONFLICT (partition) DO UPDATE SET observed_at = excluded.observed_at
       WHERE starvation_observations.observed_at <= excluded.observed_at
     RETURNING 1`,
    [partition, at],
  );
  if (rows[0]) return;
  throw new StaleObservation(`the snapshot of ${at} is older than that of an earlier observation`);
}

/** Unchanged clocks are not written again. */
export async function writeClocks(tx: Tx, partition: string, clocks: StarvationClock[]): Promise<void> {
  const columns = [
    partition,
    clocks.map(({ kind }) => kind),
    clocks.map(({ name }) => name),
    clocks.map(({ queue }) => queue),
    clocks.map(({ since }) => since),
    clocks.map(({ starvation }) => starvation),
    clocks.map(({ starvingSince }) => starvingSince),
    clocks.map(({ dueAt }) => dueAt),
  ];
  await tx.query(
    `DELETE FROM starvation_clocks c WHERE partition = $1
       AND NOT EXISTS (SELECT FROM unnest($2::text[], $3::text[]) AS kept (kind, name)
                       WHERE kept.kind = c.kind AND kept.name = c.name)`,
    columns.slice(0, 3),
  );
  if (clocks.length === 0) return;
  await tx.query(
    `INSERT INTO starvation_clocks AS c (partition, kind, name, queue, since, starvation, starving_since, due_at)
     SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::timestamptz[],
                              $8::timestamptz[])
     ON CONFLICT (partition, kind, name) DO UPDATE
       SET queue = excluded.queue, since = excluded.since, starvation = excluded.starvation,
           starving_since = excluded.starving_since, due_at = excluded.due_at
       WHERE (c.queue, c.since, c.starvation, c.starving_since, c.due_at) IS DISTINCT FROM
             (excluded.queue, excluded.since, excluded.starvation, excluded.starving_since, excluded.due_at)`,
    columns,
  );
}

/**
 * When a partition was last observed, and at which moment an observation can follow; undefined: never. Holds its row until the end of
 * the transaction.
 */
export async function lastObservation(
  tx: Tx,
  partition: string,
  now: Date,
): Promise<{ observedAt: Date; at: Date } | undefined> {
  const [last] = await tx.query<{ observedAt: Date; at: Date }[]>(
    `SELECT observed_at AS "observedAt", greatest(observed_at, $2) AS at FROM starvation_observations
     WHERE partition = $1 FOR UPDATE`,
    [partition, now.toISOString()],
  );
  return last;
}

/** The partition counts as last observed then. */
export async function setObservedAt(tx: Tx, partition: string, observedAt: Date): Promise<void> {
  await tx.update(StarvationObservation, { partition }, { observedAt });
}

/** Work that rounds of fair-share do not select for a while. */
@Entity('exempt_work')
class ExemptThing {
  @PrimaryColumn('text', { collation: 'C' }) partition: string;
  @PrimaryColumn('text') kind: 'application' | 'allocation';
  @PrimaryColumn('text', { collation: 'C' }) name: string;
  @Column({ type: 'timestamptz', precision: 3 }) until: Date;
}

/** What the last round of fair-share found in a partition. */
@Entity('fair_share_views')
class FairShareView {
  @PrimaryColumn('text', { collation: 'C' }) partition: string;
  @Column('bigint') round: string;
  @Column({ type: 'timestamptz', precision: 3 }) takenAt: Date;
  /** A list of `ShownElement`. */
  @Column('json') statuses: object;
}

/** The last observation of a partition by fair-share; one from before it is refused. */
@Entity('starvation_observations')
class StarvationObservation {
  @PrimaryColumn('text', { collation: 'C' }) partition: string;
  @Column({ type: 'timestamptz', precision: 3 }) observedAt: Date;
}
