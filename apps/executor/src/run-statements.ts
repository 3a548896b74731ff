import type { DataSource } from 'typeorm';
import {
  propertyOf,
  type QueueWithProperties,
  type Resources,
  settingsOfPartitions,
  settingsOfRuns,
} from '#contracts';
import { catalog, typesOf } from '#contracts/events';
import { type PlanInBrief, runPolicies, type VictimOutcome } from '#enforcement';
import { answersStream, operatorStream, planStream, runStream, type Tx, unpackText } from '#event-store';
import { EVICTION_HOLDS, type EvictionHolds } from '#holds';
import { LOCK_IN_FORCE, type OpenRun } from '#runs';

export interface GateRow {
  held: boolean;
  token: string | null;
  /** The number of events in the stream of the run. */
  version: number;
  operator_version: number;
  /** The allocations whose owners have extended their time since the order. */
  extended: string[];
  now: Date;
  /** Of the stops those that cover the queue of the run or of one of its victims. */
  holds: EvictionHolds;
}

/** Locks streams in shared mode until the transaction ends; the server ends the connection if it is idle for `stalledMs`. */
export const holdStill = (tx: Tx, streams: ReadonlySet<string>, stalledMs: number): Promise<unknown> =>
  tx.query(HOLD_STILL, [[...streams], `${stalledMs}`]);

/** $1 streams, $2 milliseconds. In one fixed order, so that no two wait for each other. */
const HOLD_STILL = `
  SELECT set_config('idle_in_transaction_session_timeout', $2, true),
         (SELECT count(pg_advisory_xact_lock_shared(hashtextextended(stream, 0)))
          FROM (SELECT stream FROM unnest($1::text[]) AS s (stream) ORDER BY stream OFFSET 0) AS streams)`;

/** An order of a run, as the gate reads what decides about it. */
interface AskingOrder {
  run: OpenRun;
  victimQueue: string;
  commands: { answers: number };
}

/** One row for each order, in their order, and locks their runs. @param owner the process that must hold them. */
export function readGate(tx: Tx, orders: readonly AskingOrder[], owner: string): Promise<GateRow[]> {
  const runs = [...new Map(orders.map(({ run }) => [run.enforcement, run])).values()];
  return tx.query(GATE(), [
    runs.map(({ enforcement }) => enforcement),
    runs.map(({ partition }) => partition),
    runs.map(({ queue }) => queue),
    runs.map(({ enforcement }) => runStream(enforcement)),
    runs.map(({ enforcement }) => operatorStream(enforcement)),
    owner,
    orders.map(({ run }) => run.enforcement),
    orders.map(({ victimQueue }) => victimQueue),
    runs.map(({ enforcement }) => answersStream(enforcement)),
    orders.map(({ commands }) => commands.answers),
  ]);
}

const QUEUES_OF_RUN = `
  run.queue || ARRAY(SELECT victim_queue FROM unnest($7::text[], $8::text[]) AS of (enforcement, victim_queue)
                     WHERE of.enforcement = run.enforcement)`;

/** What holds them is read once for a run: a page has many orders of one. */
const GATE = () => `
  WITH held AS (
    SELECT enforcement FROM runs
    WHERE enforcement = ANY ($1::text[]) AND lease_owner = $6 AND lease_until > clock_timestamp()
    ORDER BY enforcement FOR NO KEY UPDATE
  ), asking AS MATERIALIZED (
    SELECT run.enforcement, run.partition, run.queue, run.answers,
           EXISTS (SELECT FROM held WHERE held.enforcement = run.enforcement) AS held,
           (${LOCK_IN_FORCE})::text AS token,
           (SELECT coalesce(max(version), 0) FROM events e WHERE e.stream = run.stream) AS version,
           (SELECT coalesce(max(version), 0) FROM events e WHERE e.stream = run.operators) AS operator_version,
           ${EVICTION_HOLDS({ partition: 'run.partition', enforcement: 'run.enforcement', queues: QUEUES_OF_RUN })} AS holds
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $9::text[])
      AS run (enforcement, partition, queue, stream, operators, answers)
  )
  SELECT run.held, run.token, run.version, run.operator_version, run.holds,
         date_trunc('milliseconds', clock_timestamp()) AS now,
         ARRAY(SELECT e.data ->> 'allocation' FROM events e WHERE e.stream = run.answers AND e.version > known_answers
                 AND e.data ->> 'answer' = 'extend') AS extended
  FROM unnest($7::text[], $8::text[], $10::int[]) WITH ORDINALITY
    AS wanted (enforcement, victim_queue, known_answers, nr)
  JOIN asking AS run USING (enforcement)
  ORDER BY nr`;

/** A request for the status of a run, with the guaranteed amounts and the runs of these queues. */
export interface StatusRequest {
  run: OpenRun;
  queues: readonly string[];
}

export interface StatusRow {
  now: Date;
  token: string | null;
  holds: EvictionHolds;
  operator_events: number;
  answer_events: number;
  guaranteed: Record<string, Resources>;
  /** Of the cluster, in place of amounts. */
  shares: Record<string, string>;
  running: string[];
  /** The limit of the enforced queue in the configuration in force; null: it no longer has the queue. */
  limit: { max: Resources | null; share: string | null; delayMs: number } | null;
  /** Those of the requested queues that set a setting of runs. */
  settings: QueueWithProperties[];
}

/** One row per request, in their order, and when all of them had arrived, by a monotonic clock. */
export async function readStatuses(
  db: Tx | DataSource,
  requests: StatusRequest[],
): Promise<{ row: StatusRow; answeredAt: number }[]> {
  const rows = await db.query<StatusRow[]>(STATUSES(), [
    requests.map(({ run }) => run.partition),
    requests.map(({ run }) => run.queue),
    requests.map(({ run }) => run.enforcement),
    requests.map(({ run }) => operatorStream(run.enforcement)),
    requests.map(({ run }) => answersStream(run.enforcement)),
    requests.map(({ queues }) => JSON.stringify(queues)),
    [...settingsOfRuns, ...settingsOfPartitions].map(propertyOf),
  ]);
  const answeredAt = performance.now();
  return rows.map((row) => ({ row, answeredAt }));
}

const STATUSES = () => `
  SELECT date_trunc('milliseconds', clock_timestamp()) AS now,
         (${LOCK_IN_FORCE})::text AS token,
         ${EVICTION_HOLDS({ partition: 'run.partition', enforcement: 'run.enforcement' })} AS holds,
         (SELECT coalesce(max(version), 0) FROM events e WHERE e.stream = run.stream) AS operator_events,
         (SELECT coalesce(max(version), 0) FROM events e WHERE e.stream = run.answers) AS answer_events,
         (SELECT coalesce(json_object_agg(path, guaranteed), '{}') FROM queues q
          WHERE q.partition = run.partition AND path = ANY (run.queues) AND guaranteed IS NOT NULL) AS guaranteed,
         (SELECT coalesce(json_object_agg(path, cluster_share ->> 'guaranteed'), '{}') FROM queues q
          WHERE q.partition = run.partition AND path = ANY (run.queues) AND cluster_share ->> 'guaranteed' IS NOT NULL) AS shares,
         ARRAY(SELECT s.queue FROM clocks s
               WHERE s.partition = run.partition AND s.queue = ANY (run.queues) AND s.running_enforcement IS NOT NULL) AS running,
         (SELECT coalesce(json_agg(json_build_object('path', path, 'properties', properties)), '[]')
          FROM (SELECT path, (SELECT jsonb_object_agg(key, value) FROM json_each(q.properties) WHERE key = ANY ($7::text[])) AS configured,
                       (SELECT jsonb_object_agg('curtail.' || setting, value) FROM setting_overrides o
                        WHERE o.partition = q.partition AND o.queue = q.path) AS overrides
                FROM queues q WHERE q.partition = run.partition AND path = ANY (run.queues)) AS set,
               LATERAL (SELECT coalesce(configured, '{}') || coalesce(overrides, '{}') AS properties) AS own
          WHERE coalesce(configured, overrides) IS NOT NULL) AS settings,
         (SELECT json_build_object('max', max, 'share', cluster_share ->> 'max', 'delayMs', delay_ms) FROM queues q
          WHERE q.partition = run.partition AND q.path = run.queue) AS "limit"
  FROM (SELECT partition, queue, enforcement, stream, answers, nr, ARRAY(SELECT json_array_elements_text(of)) AS queues
        FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::json[])
          WITH ORDINALITY AS request (partition, queue, enforcement, stream, answers, of, nr)) AS run
  ORDER BY nr`;

export const outcomeOfType: Partial<Record<string, VictimOutcome>> = {
  [catalog.VictimEvicted.type]: 'evicted',
  [catalog.VictimGone.type]: 'gone',
  [catalog.VictimSpared.type]: 'spared',
  [catalog.VictimFailed.type]: 'failed',
  [catalog.VictimNotified.type]: 'notified',
};

export interface Brief extends PlanInBrief {
  /** The text of the data of the plan's event, if they are packed; else null. The database parses it: here it would take several times the memory. */
  unpacked: Buffer | null;
  settings: unknown;
  /** The number of events that executors have recorded. */
  version: number;
  isOver: boolean;
  /** The ranks of the victims whose orders have no answer. */
  ordered: number[];
  /** The ranks that wait since the opening of a round. */
  wait: number[] | null;
}

export interface PageRow {
  allocation: string;
  uid: string | null;
  application: string;
  queue: string;
  resources: Resources;
  rank: number;
  type: string | null;
  code: string | null;
  /** Its resources according to its event. */
  held: Resources | null;
}

/** A victim that was asked to finish has no outcome yet. */
const outcomeTypes = (policy: Brief['policy']) =>
  Object.keys(outcomeOfType).filter(
    (type) => runPolicies.of(policy).notifiesInOneRound || type !== catalog.VictimNotified.type,
  );

/** The plan of a run without its victims, and the progress of the run; undefined: it has no plan. */
export async function briefOf(
  db: DataSource,
  { enforcement, partition, queue, fencingToken }: OpenRun,
): Promise<Brief | undefined> {
  const [plan] = await db.query<{ packed: Buffer | null }[]>(
    'SELECT packed FROM events WHERE stream = $1 AND type = $2',
    [planStream(enforcement), catalog.PlanComputed.type],
  );
  const unpacked = plan?.packed ? await unpackText(plan.packed) : null;
  type Found = Omit<Brief, 'enforcement' | 'partition' | 'queue' | 'fencingToken' | 'unpacked'>;
  const rows = await db.query<Found[]>(
    `SELECT plan->>'policy' AS policy, plan->'target' AS target, settings, json_array_length(plan->'victims') AS victims, done.*
     FROM events, json_to_record(coalesce(events.data, $8::json)) AS computed (plan json, settings json),
       (SELECT coalesce(max(version), 0) AS version, coalesce(bool_or(type = $4), false) AS "isOver",
               ARRAY(SELECT rank FROM (
                       SELECT DISTINCT ON ((data->>'rank')::int) (data->>'rank')::int AS rank, type FROM events
                       WHERE stream = $2 AND type = ANY ($6) ORDER BY (data->>'rank')::int, version DESC
                     ) newest WHERE type = $5) AS ordered,
               (SELECT data->'wait' FROM events WHERE stream = $2 AND type = ANY ($7)) AS wait
        FROM events WHERE stream = $2) done
     WHERE stream = $1 AND type = $3`,
    [
      ...[planStream(enforcement), runStream(enforcement)],
      ...[catalog.PlanComputed.type, catalog.EnforcementEnded.type, catalog.VictimOrdered.type],
      [catalog.VictimOrdered.type, catalog.VictimRefused.type, ...Object.keys(outcomeOfType)],
      typesOf('EnforcementOpened'),
      unpacked,
    ],
  );
  const [found] = rows;
  return found && { enforcement, partition, queue, fencingToken, unpacked, ...found };
}

/** The victims of a plan from a rank on, `limit` at most, by their rank, with their outcomes. */
export function readVictims(
  db: DataSource,
  { enforcement, policy, unpacked }: Brief,
  from: number,
  limit: number,
): Promise<PageRow[]> {
  return db.query(
    `SELECT victim->>'allocation' AS allocation, victim->>'uid' AS uid, victim->>'application' AS application,
            victim->>'queue' AS queue, victim->'resources' AS resources, v.rank::int AS rank, done.type, code, held
     FROM events plan
       CROSS JOIN LATERAL json_array_elements(coalesce(plan.data, $7::json)->'plan'->'victims') WITH ORDINALITY AS v (victim, rank)
       LEFT JOIN (
         SELECT (data->>'rank')::int AS rank, type, data->>'code' AS code, data->'resources' AS held
         FROM events WHERE stream = $2 AND type = ANY ($4)
       ) done ON done.rank = v.rank
     WHERE plan.stream = $1 AND plan.type = $3 AND v.rank > $5 AND v.rank <= $6
     ORDER BY v.rank`,
    [
      ...[planStream(enforcement), runStream(enforcement), catalog.PlanComputed.type],
      ...[outcomeTypes(policy), from, from + limit, unpacked],
    ],
  );
}
