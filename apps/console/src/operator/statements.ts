import type { DataSource } from 'typeorm';
import { NODE_LABELS_OF } from '#clusters';
import { type ClusterShare, clockKind, type Limit, type Resources } from '#contracts';
import type { ChangeEffect } from '#contracts/api';
import type { ClockState } from '#enforcement';
import { AT, type Tx } from '#event-store';
import { AWAITS_APPROVAL, DECISION_ON, HELD_PARTITIONS, HOLDS_OF, type Holds } from '#holds';
import { FORESIGHT_OF } from '../queries/foresight-of.js';
import type { KnownRun, RunOfCommand } from './may-approve.js';

export interface RunOfChange extends RunOfCommand {
  /** Absent: not queried. */
  waits?: boolean;
}

/** $1 partition, $2 version. */
const RUNS = `
  SELECT enforcement, queue, ${AWAITS_APPROVAL('enforcement')} AS waits
  FROM runs WHERE partition = $1 AND configuration = $2 ORDER BY enforcement`;

/** $1 partition, $2 version. A rejection must not wait for what each of them waits for. */
const RUNS_OF_VERSION =
  'SELECT enforcement, queue FROM runs WHERE partition = $1 AND configuration = $2 ORDER BY enforcement';

/** $1 partition, $2 version. */
const PENDING = `
  SELECT s.queue, t.due_at, s.state #>> '{pending,enforcement}' AS enforcement
  FROM configurations c
    JOIN clocks s ON s.partition = c.partition AND s.config_version > coalesce(c.previous, 0) AND s.config_version <= c.version
    JOIN timers t ON t.partition = s.partition AND t.name = s.queue AND t.kind = '${clockKind}'
  WHERE c.partition = $1 AND c.version = $2`;

/** Resources by type of rows of \`victims\`. */
const RESOURCES = (condition: string) => `
  (SELECT coalesce(json_object_agg(type, amount), '{}')
   FROM (SELECT type, least(sum(amount::numeric), ${Number.MAX_SAFE_INTEGER})::bigint AS amount
         FROM victims v, jsonb_each_text(v.resources) AS of (type, amount) WHERE ${condition} GROUP BY type) AS sums)`;

const GROUPS = (column: 'queue' | 'owner') => `
  (SELECT coalesce(json_agg(json_build_object('${column}', name, 'victims', count,
                                              'resources', ${RESOURCES(`coalesce(v.${column}, '') = name`)})
                            ORDER BY count DESC, name), '[]')
   FROM (SELECT coalesce(${column}, '') AS name, count(*)::int AS count FROM victims
         GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT $3) AS groups)`;

/** $3 the maximum number of groups. */
const EFFECT = `
  WITH victims AS MATERIALIZED (
    SELECT v.queue, v.owner, v.resources
    FROM runs run JOIN planned_victims v ON v.enforcement = run.enforcement
    WHERE run.partition = $1 AND run.configuration = $2
  ), pending AS (${PENDING})
  SELECT ${DECISION_ON('$1', '$2')} AS decision,
         (SELECT count(*)::int FROM recent_victims WHERE partition = $1 AND configuration = $2) AS evicted,
         json_build_object('victims', (SELECT count(*) FROM victims), 'resources', ${RESOURCES('true')}) AS planned,
         ${GROUPS('queue')} AS queues,
         ${GROUPS('owner')} AS owners,
         (SELECT coalesce(json_agg(json_build_object('queue', queue, 'dueAt', ${AT('due_at')},
                                                   'foresight', ${FORESIGHT_OF({ partition: '$1', queue: 'first.queue', enforcement: 'first.enforcement' })})
                                 ORDER BY due_at, queue), '[]')
          FROM (SELECT * FROM pending ORDER BY due_at, queue LIMIT $3) AS first) AS clocks,
         greatest((SELECT count(*)::int FROM pending) - $3::int, 0) AS "moreClocks"`;

/** The runs that a version of a configuration causes. A rejection must not wait for what each of them waits for. */
export const namesOfRunsOf = (db: Tx | DataSource, partition: string, version: number) =>
  db.query<RunOfChange[]>(RUNS_OF_VERSION, [partition, version]);

/** When the last pending clock of a version is due; null: there is none. */
export const lastDueOf = (db: Tx | DataSource, partition: string, version: number) =>
  db.query<{ due: Date | null }[]>(`SELECT max(due_at) AS due FROM (${PENDING}) AS pending`, [
    partition,
    version,
  ]);

/** What a version of a configuration evicts: what its runs have planned and evicted, and its pending clocks. */
export const effectOfChange = (db: Tx | DataSource, partition: string, version: number, groups: number) =>
  db.query<ChangeEffect[]>(EFFECT, [partition, version, groups]);

/** A version of a configuration; no row: there is none. */
export const versionsNamed = (db: Tx | DataSource, partition: string, version: number) =>
  db.query<unknown[]>('SELECT FROM configurations WHERE partition = $1 AND version = $2', [
    partition,
    version,
  ]);

/** The runs that a version of a configuration causes, and whether they wait for approval. */
export const runsOfChange = (db: Tx | DataSource, partition: string, version: number) =>
  db.query<RunOfChange[]>(RUNS, [partition, version]);

/** Whether the configuration in force has a queue, and whether there is such a partition. */
export const knownPlace = (db: Tx | DataSource, partition: string, queue: string | null) =>
  db.query<[{ configured: boolean; partition: boolean }]>(
    `SELECT EXISTS (SELECT 1 FROM queues WHERE partition = $1 AND ($2::text IS NULL OR path = $2)) AS configured,
              EXISTS (SELECT 1 FROM queues WHERE partition = $1 UNION ALL SELECT 1 FROM partitions WHERE partition = $1
                      UNION ALL SELECT 1 FROM (${HELD_PARTITIONS}) AS held WHERE partition = $1
                      UNION ALL SELECT 1 FROM inventory_partitions WHERE partition = $1) AS partition`,
    [partition, queue],
  );

/** A run as the read model has it. */
export const runNamed = (db: Tx | DataSource, enforcement: string) =>
  db.query<KnownRun[]>(
    'SELECT enforcement, partition, queue, state, outcome FROM read_runs WHERE enforcement = $1',
    [enforcement],
  );

/** The quota that a run was planned for, and the one in force. */
export const quotasOfRun = (
  db: Tx | DataSource,
  partition: string,
  queue: string,
  stream: string,
  types: readonly string[],
) =>
  db.query<{ planned: Limit; inForce: { max: Limit['max']; maxShare: string | null } | null }[]>(
    `SELECT json_build_object('max', e.data -> 'max', 'maxShare', e.data ->> 'maxShare') AS planned,
              CASE WHEN q.path IS NOT NULL
                   THEN json_build_object('max', q.max, 'maxShare', q.cluster_share ->> 'max') END AS "inForce"
     FROM events e LEFT JOIN queues q ON q.partition = $1 AND q.path = $2
     WHERE e.stream = $3 AND e.type = ANY ($4)`,
    [partition, queue, stream, types],
  );

export interface QueueOfCommand {
  max: Resources | null;
  clusterShare: ClusterShare | null;
  delayMs: string;
  nodeLabels: string[] | null;
  state: ClockState | null;
  holds: Holds;
  now: Date;
}

/** A queue with its clock and everything that holds it. */
export const queueToRun = (db: Tx | DataSource, partition: string, queue: string) =>
  db.query<QueueOfCommand[]>(
    `SELECT q.max, q.cluster_share AS "clusterShare", q.delay_ms::text AS "delayMs",
              s.state,
              ${NODE_LABELS_OF('$1')} AS "nodeLabels",
              ${HOLDS_OF('$1')} AS holds, clock_timestamp() AS now
       FROM queues q LEFT JOIN clocks s ON s.partition = q.partition AND s.queue = q.path
       WHERE q.partition = $1 AND q.path = $2`,
    [partition, queue],
  );

/**
 * Who sent the version that caused a run, or requested the run: the last request for its queue counts, if it is younger than that version. Also
 * of a version itself.
 */
export const submittersOf = (
  db: DataSource,
  cause: { enforcement: string } | { partition: string; version: number },
) =>
  'version' in cause
    ? db.query<{ by: string | null }[]>(
        'SELECT sent_by AS by FROM configurations WHERE partition = $1 AND version = $2',
        [cause.partition, cause.version],
      )
    : db.query<{ by: string | null }[]>(
        `WITH run AS (SELECT partition, queue FROM read_runs WHERE enforcement = $1), version AS (
           SELECT c.sent_by, c.applied_at FROM run JOIN runs USING (partition, queue)
             JOIN configurations c ON c.partition = runs.partition AND c.version = runs.configuration
           WHERE runs.enforcement = $1)
         SELECT sent_by AS by FROM version
         UNION ALL
         (SELECT e.data ->> 'by' FROM run JOIN events e ON e.stream = 'requests-' || run.partition || '/' || run.queue
          WHERE e.time >= coalesce((SELECT applied_at FROM version), '-infinity') ORDER BY e.version DESC LIMIT 1)`,
        [cause.enforcement],
      );
