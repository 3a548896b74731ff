import { DataSource } from 'typeorm';
import { ancestors } from '#contracts';
import type { NoticeView, QueueExplanation, QueueRun, VictimSummary } from '#contracts/api';
import { eventName, upcast } from '#contracts/events';
import { runPolicies } from '#enforcement';
import { DATA, SCHEMA_VERSION, type Tx, unpackData } from '#event-store';
import { wordsOfRule } from '#planning/words';

const runsAtMost = 10;

const eventsAtMost = 50;

const range = (column: string, n: number) =>
  `(${column} = $${n} OR (${column} >= $${n} || '.' AND ${column} < $${n} || '/'))`;

/** The policies whose runs are not rounds, as SQL. Literals, since one index has only the other policies. */
const ofQueues = [...runPolicies].filter(({ isRound }) => !isRound).map(({ name }) => `'${name}'`);

/** $1 partition, $2 the queue, $3 it and all above it, $4 how many. Runs of queues and rounds are separate, so that each uses its index. */
const RUNS = `
  WITH run AS (
    (SELECT * FROM read_runs
     WHERE partition = $1 AND queue = ANY ($3::text[]) AND policy IN (${ofQueues}) AND started_at IS NOT NULL
     ORDER BY started_at DESC LIMIT $4)
    UNION ALL
    (SELECT * FROM read_runs e
     WHERE partition = $1 AND policy NOT IN (${ofQueues}) AND started_at IS NOT NULL
       AND EXISTS (SELECT FROM read_victims v WHERE v.enforcement = e.enforcement AND ${range('v.queue', 2)})
     ORDER BY started_at DESC LIMIT $4))
  SELECT run.enforcement, policy, round::int AS round, run.queue, started_at AS at, state, outcome,
         plan_outcome AS "planOutcome", counted.victims, counted.evicted
  FROM run CROSS JOIN LATERAL (
    SELECT count(*)::int AS victims, (count(*) FILTER (WHERE v.state = 'evicted'))::int AS evicted
    FROM read_victims v WHERE v.enforcement = run.enforcement AND ${range('v.queue', 2)}) AS counted
  ORDER BY started_at DESC LIMIT $4`;

/** The runs that concern a queue, the latest first. */
export async function runsOfQueue(
  db: DataSource,
  partition: string,
  queue: string,
  limit = runsAtMost,
): Promise<QueueRun[]> {
  const rows = await db.query<(Omit<QueueRun, 'at'> & { at: Date })[]>(RUNS, [
    partition,
    queue,
    [queue, ...ancestors(queue)],
    limit,
  ]);
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
}

export interface RecordedEvent {
  at: string;
  event: string;
  data: unknown;
}

/** Events of the queue itself, latest first. Events of runs are left out: a run can have thousands of victims. */
export async function eventsOfQueue(
  db: DataSource,
  partition: string,
  queue: string,
): Promise<RecordedEvent[]> {
  const rows = await db.query<{ time: Date; type: string; version: number; data: unknown }[]>(
    `SELECT time, type, ${SCHEMA_VERSION} AS version, ${DATA} AS data FROM events
     WHERE partition = $1 AND key = $2 AND type NOT LIKE 'io.curtail.victim.%'
     ORDER BY position DESC LIMIT $3`,
    [partition, queue, eventsAtMost],
  );
  return (await unpackData(rows)).flatMap(({ time, type, version, data }) => {
    const event = eventName(type);
    return event ? [{ at: time.toISOString(), event, data: upcast(event, version, data) }] : [];
  });
}

/** Notices about a queue or work in it from any run, and those of its own clock and runs; latest first. */
export async function noticesOfQueue(
  db: DataSource,
  partition: string,
  queue: string,
): Promise<QueueExplanation['notices']> {
  const rows = await db.query<
    (Pick<NoticeView, 'code' | 'message' | 'kind' | 'name'> & { at: Date; aboutQueue: string | null })[]
  >(
    `SELECT at, code, message, kind, name, about_queue AS "aboutQueue" FROM (
       (SELECT * FROM read_notices WHERE partition = $1 AND name = $2 AND kind IN ('queue', 'pool')
        ORDER BY id DESC LIMIT $3)
       UNION
       (SELECT * FROM read_notices WHERE partition = $1 AND about_queue = $2 ORDER BY id DESC LIMIT $3)
       UNION
       (SELECT * FROM read_notices WHERE partition = $1 AND queue = $2 ORDER BY id DESC LIMIT $3)) AS notice
     ORDER BY id DESC LIMIT $3`,
    [partition, queue, eventsAtMost],
  );
  return rows.map(({ at, code, message, kind, name, aboutQueue }) => ({
    at: at.toISOString(),
    code,
    message,
    ...(kind !== null &&
      name !== null && { about: { kind, name, ...(aboutQueue !== null && { queue: aboutQueue }) } }),
  }));
}

/** Whether a snapshot has more bytes than some: a row, or none. */
export const isLonger = (db: Tx | DataSource, digest: string, bytes: number) =>
  db.query<unknown[]>('SELECT 1 FROM snapshots WHERE digest = $1 AND bytes > $2', [digest, bytes]);

const groupings = {
  rules: 'rule',
  states: 'state',
  queues: 'queue',
  owners: 'owner',
  applications: 'application',
} as const;

/**
 * The victims of a run in groups, without reading them into this process: there may be a hundred thousand.
 *
 * @param shown how many groups of each kind are listed; all are counted.
 */
export async function summaryOfVictims(
  db: DataSource,
  enforcement: string,
  shown: number,
): Promise<VictimSummary> {
  const groups = Object.entries(groupings).map(
    ([kind, by]) => `
      SELECT '${kind}' AS kind, count(*)::int AS count,
             (array_agg(json_build_object('name', name, 'victims', victims, 'resources', coalesce(resources, '{}'))
                        ORDER BY victims DESC, name))[1:$2] AS first
      FROM (SELECT ${by} AS name, sum(victims)::int AS victims FROM victims GROUP BY 1) ${kind}
      LEFT JOIN (SELECT name, json_object_agg(type, amount ORDER BY type) AS resources
                 FROM (SELECT ${by} AS name, key AS type, sum(victims * value::numeric)::bigint AS amount
                       FROM victims, json_each_text(held::json) GROUP BY 1, 2) amounts GROUP BY 1) held USING (name)
      WHERE name IS NOT NULL`,
  );
  const rows = await db.query<
    ({ kind: keyof VictimSummary } & {
      count: number;
      first: VictimSummary['rules']['first'] | null;
    })[]
  >(
    // Victims that agree in all of this are one row: the amounts of work are often few.
    `WITH victims AS MATERIALIZED (
       SELECT rule, state, queue, owner, application, resources::text AS held, count(*)::int AS victims
       FROM read_victims WHERE enforcement = $1 GROUP BY 1, 2, 3, 4, 5, 6)
       ${groups.join(' UNION ALL ')}`,
    [enforcement, shown],
  );
  const of = (kind: keyof VictimSummary) => {
    const row = rows.find((each) => each.kind === kind);
    return { count: row?.count ?? 0, first: row?.first ?? [] };
  };
  const rules = of('rules');
  const inWords = rules.first.map((group) => ({ ...group, name: wordsOfRule(group.name), code: group.name }));
  return {
    rules: { ...rules, first: inWords },
    states: of('states'),
    queues: of('queues'),
    owners: of('owners'),
    applications: of('applications'),
  };
}
