import { DataSource } from 'typeorm';
import { NODE_LABELS_OF } from '#clusters';
import { type ClusterShare, clockKind, type Resources, type ShownElement } from '#contracts';
import type { ForeseenView, QueueView, TimerView } from '#contracts/api';
import { typesOf } from '#contracts/events';
import { AT, type Tx } from '#event-store';
import { STOPPED } from '#holds';
import type { ClockThatWaits } from '../waiting/statements.js';
import { FORESIGHT_OF } from './foresight-of.js';
import { below } from './list-query.js';

/** Those that state a max before and after. */
const quotaChangedTypes = typesOf('QuotaChanged').join();

/** A queue as its tables have it, with what tells when its clock starts a run. */
export interface QueueRow
  extends Omit<QueueView, 'usage' | 'inFlight' | 'clusterShare' | 'nodeLabels' | 'startsAt' | 'waiting'> {
  clusterShare: ClusterShare | null;
  nodeLabels: string[] | null;
  clock: Omit<ClockThatWaits, 'partition' | 'queue'> | null;
}

// OFFSET 0 keeps the last change of a quota one read of the index for each queue; joined with all of them, a page takes seconds.
/** A queue `q` with its clock, run and stops. @param queues SQL with the columns of the table `queues`. */
const selectFrom = (queues: string) => `
  SELECT q.partition, q.path AS queue, q.max, q.guaranteed, q.cluster_share AS "clusterShare", q.delay_ms / 1000.0::float8 AS "delaySeconds",
         t.due_at AS "dueAt", coalesce(t.state = 'suspended', false) AS suspended,
         CASE WHEN t.name IS NOT NULL THEN json_build_object('enforcement', s.state #>> '{pending,enforcement}', 'dueAt', ${AT('t.due_at')},
                'state', t.state, 'servedAt', s.state #>> '{pending,frozen,dueAt}') END AS clock,
         changed.previous AS "previousMax",
         coalesce((s.state ->> 'notMet')::boolean, false) AS "notMet", s.running_enforcement AS enforcement,
         (SELECT r.state FROM read_runs r WHERE r.enforcement = s.running_enforcement) AS "runState",
         ${STOPPED('q.partition', 'q.path')} AS stopped,
         labels.of_nodes AS "nodeLabels"
  FROM ${queues} q
  LEFT JOIN timers t ON t.kind = '${clockKind}' AND t.partition = q.partition AND t.name = q.path
  LEFT JOIN clocks s ON s.partition = q.partition AND s.queue = q.path
  LEFT JOIN LATERAL (
    SELECT e.data -> 'previous' -> 'max' AS previous FROM quota_changes c
    JOIN events e ON e.stream = 'config-' || c.partition AND e.version = c.version AND e.type = ANY ('{${quotaChangedTypes}}')
    WHERE c.partition = q.partition AND c.queue = q.path
      AND e.data -> 'previous' ->> 'max' IS DISTINCT FROM e.data -> 'current' ->> 'max'
    OFFSET 0) AS changed ON true
  LEFT JOIN LATERAL (SELECT ${NODE_LABELS_OF('q.partition')} AS of_nodes) AS labels ON true`;

/** As the table `queues`: those of $2, without limits. */
const UNLIMITED = `(
  SELECT $1::text AS partition, path, NULL::json AS max, NULL::json AS guaranteed, NULL::json AS cluster_share, 0::bigint AS delay_ms
  FROM unnest($2::text[]) AS named (path))`;

/** A page of the queues of the configuration in force, with their clocks, runs and stops. */
export const configuredQueues = (
  db: Tx | DataSource,
  partition: string,
  queue: string | null,
  after: string,
  limit: number,
) =>
  db.query<QueueRow[]>(
    `${selectFrom('queues')}
       WHERE q.partition = $1 AND ${below('q.path', 2)} AND q.path > $3
       ORDER BY q.path LIMIT $4`,
    [partition, queue, after, limit],
  );

/** Those of some queues that the configuration in force does not have. None, if there is no configuration. */
export const notConfigured = (
  db: Tx | DataSource,
  partition: string,
  paths: readonly string[],
  limit: number,
) =>
  db.query<{ path: string }[]>(
    `SELECT path FROM unnest($2::text[]) AS held (path)
       WHERE EXISTS (SELECT FROM queues WHERE partition = $1)
         AND NOT EXISTS (SELECT FROM queues q WHERE q.partition = $1 AND q.path = held.path)
       ORDER BY path COLLATE "C" LIMIT $3`,
    [partition, paths, limit],
  );

/** Queues without limits, with what clocks, runs and stops there are. */
export const unlimitedQueues = (db: Tx | DataSource, partition: string, paths: readonly string[]) =>
  db.query<QueueRow[]>(selectFrom(UNLIMITED), [partition, paths]);

/** The same, and whether anything is on record about them. */
export const recordedQueues = (db: Tx | DataSource, partition: string, paths: readonly string[]) =>
  db.query<(QueueRow & { known: boolean })[]>(
    `SELECT view.*, EXISTS (SELECT FROM events WHERE partition = $1 AND key = view.queue)
                   OR EXISTS (SELECT FROM clocks WHERE partition = $1 AND clocks.queue = view.queue) AS known
       FROM (${selectFrom(UNLIMITED)}) view`,
    [partition, paths],
  );

export type TimerRow = Omit<TimerView, 'waiting' | 'startsAt'> & { servedAt: string | null };

const clockColumns = `t.partition, t.name AS queue, t.kind, s.state #>> '{pending,enforcement}' AS enforcement, t.generation,
  t.due_at AS "dueAt", t.state, s.state #>> '{pending,frozen,dueAt}' AS "servedAt",
  ${FORESIGHT_OF({ partition: 't.partition', queue: 't.name', enforcement: "s.state #>> '{pending,enforcement}'" })} AS foresight`;

/** The clocks of the quotas of some queues. */
export const clocksOfQueues = (db: Tx | DataSource, partition: string, queues: readonly string[]) =>
  db.query<TimerRow[]>(
    `SELECT ${clockColumns} FROM timers t LEFT JOIN clocks s ON s.partition = t.partition AND s.queue = t.name
       WHERE t.kind = '${clockKind}' AND t.partition = $1 AND t.name = ANY ($2)`,
    [partition, queues],
  );

/** How many clocks of quotas run and are suspended, by partition. */
export const countClocks = (db: Tx | DataSource, partitions: readonly string[]) =>
  db.query<{ partition: string; due: number; suspended: number }[]>(
    `SELECT t.partition, count(*) FILTER (WHERE t.state <> 'suspended')::int AS due,
                  count(*) FILTER (WHERE t.state = 'suspended')::int AS suspended
           FROM timers t WHERE t.kind = '${clockKind}' AND t.partition = ANY ($1) GROUP BY t.partition`,
    [partitions],
  );

/** Of each partition, the first clocks of quotas that run. */
export const firstClocks = (db: Tx | DataSource, partitions: readonly string[], limit: number) =>
  db.query<TimerRow[]>(
    `SELECT first.* FROM unnest($1::text[]) AS asked (partition) CROSS JOIN LATERAL (
             SELECT ${clockColumns} FROM timers t LEFT JOIN clocks s ON s.partition = t.partition AND s.queue = t.name
             WHERE t.kind = '${clockKind}' AND t.partition = asked.partition AND t.state <> 'suspended'
             ORDER BY t.due_at, t.name LIMIT $2) AS first`,
    [partitions, limit],
  );

/** A page of the clocks of a partition. */
export const clocksByDue = (
  db: Tx | DataSource,
  partition: string,
  queue: string | null,
  afterDue: string | null,
  afterName: string | null,
  afterKind: string | null,
  limit: number,
  state: string | null,
  policy: string | null,
) =>
  db.query<TimerRow[]>(
    `SELECT ${clockColumns}
       FROM timers t LEFT JOIN clocks s ON t.kind = '${clockKind}' AND s.partition = t.partition AND s.queue = t.name
       WHERE t.partition = $1 AND ${below('t.name', 2)}
         AND ($3::timestamptz IS NULL OR (t.due_at, t.name, t.kind) > ($3, $4, $5))
         AND ($7::text IS NULL OR t.state = $7) AND ($8::text IS NULL OR t.kind = $8)
       ORDER BY t.due_at, t.name, t.kind LIMIT $6`,
    [partition, queue, afterDue, afterName, afterKind, limit, state, policy],
  );

/** Pools or operations, as the last round of fair-share found them. */
export const shownElements = (
  db: Tx | DataSource,
  partition: string,
  kind: string,
  queue: string | null,
  limit: number,
  after: string,
) =>
  db.query<{ element: ShownElement; takenAt: Date; nr: number }[]>(
    `SELECT element, taken_at AS "takenAt", nr::int AS nr
       FROM fair_share_views, json_array_elements(statuses) WITH ORDINALITY AS e (element, nr)
       WHERE partition = $1 AND element ->> 'kind' = $2
         AND ($3::text IS NULL OR element ->> 'queue' = $3 OR starts_with(element ->> 'queue', $3 || '.'))
         AND nr > $5
       ORDER BY nr LIMIT $4`,
    [partition, kind, queue, limit, after],
  );

/** A page of what owners have been notified of in advance. */
export const foreseenOwners = (db: Tx | DataSource, values: readonly unknown[]) =>
  db.query<ForeseenView[]>(
    `SELECT o.partition, o.queue, f.enforcement, o.application, o.owner AS "user", o.due_at AS "dueAt", o.victims, o.allocations,
              o.resources, o.rule, o.facts, o.reason, o.since, o.checks, o.needs_approval AS "needsApproval",
              o.notified_at AS "notifiedAt", f.checked_at AS "checkedAt", f.fault, f.more
       FROM foreseen_owners o JOIN foresights f ON f.partition = o.partition AND f.queue = o.queue
       WHERE o.partition = $1 AND ${below('o.queue', 2)}
         AND ($3::text IS NULL OR o.owner = $3) AND ($4::text IS NULL OR o.application = $4)
         AND ($5::text IS NULL OR (o.queue, o.application) > ($5, $6)) AND ($8::text IS NULL OR f.enforcement = $8)
       ORDER BY o.queue, o.application LIMIT $7`,
    [...values],
  );

/** What a run would take from the application of an allocation. */
export interface ForeseenApplication {
  victims: number;
  /** The first of them. */
  allocations: readonly string[];
}

export type ForeseenRow = ForeseenApplication & {
  queue: string;
  enforcement: string;
  reason: string;
  needsApproval: boolean;
};

/** What is foreseen of an application. */
export const foreseenOf = (
  db: Tx | DataSource,
  partition: string,
  queues: readonly string[],
  application: string,
) =>
  db.query<ForeseenRow[]>(
    `SELECT o.queue, f.enforcement, o.victims, o.allocations, o.reason, o.needs_approval AS "needsApproval"
       FROM foreseen_owners o JOIN foresights f ON f.partition = o.partition AND f.queue = o.queue
       WHERE o.partition = $1 AND o.queue = ANY ($2) AND o.application = $3`,
    [partition, queues, application],
  );

export interface Limited {
  partition: string;
  queue: string;
  max: Resources | null;
  clusterShare: ClusterShare | null;
}

/** A page of the queues of some partitions that have a limit. */
export const limitedQueues = (
  db: Tx | DataSource,
  partitions: readonly string[],
  afterPartition: string,
  afterQueue: string,
  limit: number,
) =>
  db.query<Limited[]>(
    `SELECT partition, path AS queue, max, cluster_share AS "clusterShare" FROM queues
         WHERE partition = ANY ($1) AND (partition, path) > ($2, $3)
           AND (max IS NOT NULL OR cluster_share ->> 'max' IS NOT NULL)
         ORDER BY partition, path LIMIT $4`,
    [partitions, afterPartition, afterQueue, limit],
  );
