import { DataSource } from 'typeorm';
import { type Resources, waitingForApproval } from '#contracts';
import type { FoundVictim, ReportGroup, ReportRow, VictimView } from '#contracts/api';
import { catalog, typesOf } from '#contracts/events';
import { otherIncarnation } from '#enforcement';
import { runStream, type Tx } from '#event-store';
import type { Run } from '../waiting/statements.js';
import { below, type QueryOf, timedPlace } from './list-query.js';
import type { PlaceOfRun } from './log-filter.js';

const runColumns = `enforcement, partition, queue, policy, round::int AS round, state, outcome, due_at AS "dueAt", started_at AS "startedAt",
  ended_at AS "endedAt", late_ms AS "lateMs", mode, plan_outcome AS "planOutcome", target, claimed, shortfall, freed,
  victims, notified, evicted, message, updated_at AS "updatedAt"`;

/** Runs of some partitions that started and have not ended, oldest first. */
export const openRuns = (db: Tx | DataSource, partitions: readonly string[]) =>
  db.query<Run[]>(
    `SELECT ${runColumns} FROM read_runs
       WHERE partition = ANY ($1) AND outcome IS NULL AND started_at IS NOT NULL ORDER BY started_at, enforcement`,
    [partitions],
  );

/** A run; no row: it is unknown. */
export const oneRun = (db: Tx | DataSource, enforcement: string) =>
  db.query<Run[]>(`SELECT ${runColumns} FROM read_runs WHERE enforcement = $1`, [enforcement]);

/** The victims of a run in the order of eviction. $1 run, $2 after this rank, $3 at most. @param within SQL with conditions on the values from $4 on. */
export const victimsOfRun = (db: Tx | DataSource, within: readonly string[], values: readonly unknown[]) =>
  db.query<VictimView[]>(
    `SELECT allocation, queue, application, rank, uid, resources, reason, rule, facts, owner, state, code, message, about
       FROM read_victims WHERE enforcement = $1 AND rank > $2 ${within.join(' ')} ORDER BY rank LIMIT $3`,
    [...values],
  );

/** The victims that an allocation was, the latest first. */
export const runsNaming = (db: Tx | DataSource, partition: string, allocation: string) =>
  db.query<(VictimView & { enforcement: string })[]>(
    `SELECT enforcement, allocation, queue, application, rank, uid, resources, reason, rule, facts, owner, state, code, message, about
       FROM read_victims WHERE partition = $1 AND allocation = $2 ORDER BY updated_at DESC LIMIT 100`,
    [partition, allocation],
  );

/** The victims of an application or of a user, or of both, the latest first. */
export const victimsOfWork = (
  db: Tx | DataSource,
  partition: string,
  application: string | null,
  user: string | null,
  limit: number,
) =>
  db.query<(Omit<FoundVictim, 'at'> & { at: Date })[]>(
    `SELECT enforcement, allocation, application, queue, owner, state, reason, updated_at AS at
       FROM read_victims
       WHERE partition = $1 AND ($2::text IS NULL OR application = $2) AND ($3::text IS NULL OR owner = $3)
       ORDER BY updated_at DESC, enforcement, rank LIMIT $4`,
    [partition, application, user, limit],
  );

const groupColumns: Record<ReportGroup, string> = {
  queue: 'v.queue',
  user: 'v.owner',
  cause: 'e.policy',
  rule: 'v.rule',
};

type ReportedRow = ReportRow & { groups: number; isTotal: boolean };

/** The end of a report: now, unless it has one. */
export const endOfReport = (db: Tx | DataSource, until: string | null) =>
  db.query<[{ until: Date }]>('SELECT coalesce($1::timestamptz, now()) AS until', [until]);

/** The evictions of a period in groups, and their sum. Of the groups, the largest. */
export const reportRows = (
  db: Tx | DataSource,
  by: ReportGroup,
  since: string,
  until: Date,
  place: { partition?: string | undefined; queue?: string | undefined },
  limit: number,
) =>
  db.query<ReportedRow[]>(
    `WITH evicted AS MATERIALIZED (
         SELECT coalesce(${groupColumns[by]}, '') COLLATE "C" AS name, v.enforcement, v.resources, v.seconds_lost
         FROM read_runs e JOIN read_victims v USING (enforcement)
         WHERE (e.ended_at IS NULL OR e.ended_at >= $1) AND v.state = 'evicted' AND v.updated_at >= $1 AND v.updated_at < $2
           AND ($3::text IS NULL OR v.partition = $3) AND ${below('v.queue COLLATE "C"', 5)}),
       counts AS (
         SELECT name, grouping(name) = 1 AS is_total, count(*)::int AS victims, count(DISTINCT enforcement)::int AS runs,
                (count(*) FILTER (WHERE seconds_lost IS NULL))::int AS unknown
         FROM evicted GROUP BY GROUPING SETS ((name), ())),
       shown AS (
         SELECT *, (SELECT count(*)::int FROM counts WHERE NOT is_total) AS groups FROM counts
         ORDER BY is_total DESC, victims DESC, name LIMIT $4),
       hours AS (
         SELECT name, grouping(name) = 1 AS is_total, type, sum(amount::numeric * seconds_lost / 3600)::float8 AS amount
         FROM evicted, json_each_text(resources::json) AS of (type, amount)
         WHERE seconds_lost IS NOT NULL GROUP BY GROUPING SETS ((name, type), (type)))
       SELECT coalesce(s.name, '') AS name, s.victims, s.runs, s.unknown, s.groups, s.is_total AS "isTotal",
              coalesce((SELECT json_object_agg(h.type, h.amount) FROM hours h
                        WHERE h.is_total = s.is_total AND h.name IS NOT DISTINCT FROM s.name), '{}') AS lost
       FROM shown s ORDER BY s.is_total DESC, s.victims DESC, s.name`,
    [since, until, place.partition ?? null, limit, place.queue ?? null],
  );

export interface StepRow {
  position: string;
  time: Date;
  until: Date;
  type: string;
  version: number;
  count: number;
  data: unknown;
}

/** The events of a run. Those of victims that follow one another are one row. @param source SQL, with the values. */
export const stepsOfRun = (db: Tx | DataSource, source: string, values: unknown[]) =>
  db.query<StepRow[]>(
    `SELECT min(position)::text AS position, min(time) AS time, max(time) AS until, type, min(schema_version)::int AS version,
            coalesce(sum(victims), count(*))::int AS count, min(data::text)::json AS data
     FROM (
       SELECT *, CASE WHEN row_number() OVER (PARTITION BY step, application ORDER BY position DESC) = 1 THEN foreseen
                      WHEN foreseen IS NOT NULL THEN 0 END AS victims
       FROM (
         SELECT position, time, type, schema_version,
                CASE WHEN type NOT LIKE 'io.curtail.victim.%' AND type <> '${catalog.PlanComputed.type}' THEN data END AS data,
                type LIKE 'io.curtail.victim.%' AS "isOfVictim",
                count(*) FILTER (WHERE type NOT LIKE 'io.curtail.victim.%') OVER (ORDER BY position) AS step,
                -- Each event of an application states again what is foreseen of it.
                CASE WHEN type = '${catalog.VictimForeseen.type}' THEN (data ->> 'victims')::int END AS foreseen,
                CASE WHEN type = '${catalog.VictimForeseen.type}' THEN data ->> 'application' END AS application
         FROM ${source} event) event) event
     GROUP BY step, "isOfVictim", type ORDER BY min(event.position)`,
    values,
  );

/** The queue of a run. */
export const placeOfRun = (db: Tx | DataSource, enforcement: string) =>
  db.query<PlaceOfRun[]>('SELECT partition, queue FROM read_runs WHERE enforcement = $1', [enforcement]);

/** The latest runs with a plan. */
export const latestPlanned = (db: Tx | DataSource, partition: string, limit: number) =>
  db.query<{ enforcement: string; queue: string; at: Date }[]>(
    `SELECT enforcement, queue, started_at AS at FROM read_runs
       WHERE partition = $1 AND plan_outcome IS NOT NULL ORDER BY started_at DESC LIMIT $2`,
    [partition, limit],
  );

/** Not a parameter: a plan for all values of it could not use the index of the needed runs. */
const isNeeded = "outcome IS DISTINCT FROM 'not-needed'";

/** An approved run is carried out at once: it executes, too. */
function statesOf(state: NonNullable<QueryOf<'enforcements'>['state']>): string[] {
  if (state === 'waiting') return [waitingForApproval];
  return state === 'executing' ? [state, 'approved'] : [state];
}

/** The statement that reads a page of runs, and one more run if there are more. */
export function selectionOfRuns(query: QueryOf<'enforcements'>): { sql: string; values: unknown[] } {
  const place = timedPlace(query.after);
  return {
    sql: `SELECT ${runColumns} FROM read_runs
       WHERE partition = $1 AND ${below('queue', 2)} AND ($3::timestamptz IS NULL OR updated_at >= $3)
         AND ($4::timestamptz IS NULL OR updated_at < $4 OR (updated_at = $4 AND enforcement > $5))
         AND ($7::text[] IS NULL OR state = ANY ($7)) AND ($8::text IS NULL OR policy = $8)
         ${query.needed === undefined ? '' : `AND ${isNeeded}`}
       ORDER BY updated_at DESC, enforcement LIMIT $6`,
    values: [
      query.partition,
      query.queue ?? null,
      query.since ?? null,
      place?.at ?? null,
      place?.name ?? null,
      query.limit + 1,
      query.state === undefined ? null : statesOf(query.state),
      query.policy ?? null,
    ],
  };
}

/** A page of runs, and one more run if there are more. */
export const selectedRuns = (db: Tx | DataSource, query: QueryOf<'enforcements'>) => {
  const { sql, values } = selectionOfRuns(query);
  return db.query<Run[]>(sql, values);
};

/**
 * What the victims of an open run have freed: those that were evicted or are gone, as the end of the run will count them.
 *
 * @returns null: nothing yet.
 */
export async function freedSoFar(
  db: Pick<DataSource, 'query'>,
  enforcement: string,
): Promise<Resources | null> {
  const [row] = await db.query<{ freed: Resources | null }[]>(
    // Victims that hold the same are one row, as of a large run most are.
    `SELECT json_object_agg(type, amount ORDER BY type) AS freed
     FROM (SELECT key AS type, sum(victims * value::numeric)::bigint AS amount
           FROM (SELECT resources::text AS held, count(*) AS victims FROM read_victims
                 WHERE enforcement = $1 AND (state = 'evicted' OR (state = 'gone' AND code IS DISTINCT FROM $2))
                 GROUP BY 1) alike, json_each_text(held::json) GROUP BY 1) amounts`,
    [enforcement, otherIncarnation],
  );
  return row?.freed ?? null;
}

/**
 * That a run waits for a ceiling, or waited for one, and the version of the configuration that causes it: null if there is none, or it
 * is not known. undefined: no ceiling holds the run.
 */
export async function ceilingOfRun(
  db: DataSource,
  enforcement: string,
): Promise<{ configuration: number | null } | undefined> {
  const [found] = await db.query<{ configuration: number | null }[]>(
    `SELECT (SELECT configuration FROM runs WHERE enforcement = $1) AS configuration FROM events
     WHERE stream = $2 AND (type = ANY ($3::text[]) OR type = ANY ($4::text[]) AND data->>'ceiling' IS NOT NULL) LIMIT 1`,
    [...[enforcement, runStream(enforcement)], ...[typesOf('EnforcementHeld'), typesOf('EnforcementOpened')]],
  );
  return found;
}
