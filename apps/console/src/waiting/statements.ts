import { DataSource } from 'typeorm';
import { NODE_LABELS_OF } from '#clusters';
import { clockKind, waitingForApproval } from '#contracts';
import type { EnforcementView } from '#contracts/api';
import type { ClockState, WaitingRun } from '#enforcement';
import type { Tx } from '#event-store';
import { FROZEN_PARTITIONS } from '#holds';

/** The clock of a queue, or of rounds. */
export interface ClockThatWaits {
  partition: string;
  queue: string;
  enforcement: string | null;
  dueAt: string | Date;
  /** `pending`, `waiting` or `suspended`. */
  state: string;
  /** Of a clock that waits for the end of a freeze: when its delay was over. */
  servedAt?: string | null;
}

/** A run without what holds it. */
export type Run = Omit<EnforcementView, 'waiting' | 'startsAt'>;

/** A queue of a partition. */
export type WaitingPlace = Pick<ClockThatWaits, 'partition' | 'queue'>;

/** The victims of a run that it has not settled. */
export interface OpenVictims {
  enforcement: string;
  ready: number;
  refused: number;
  asked: number;
  refusal: { allocation: string; message: string | null } | null;
  extended?: WaitingRun['extended'];
}

/** A run of a queue above another one. */
export interface RunAbove {
  queue: string;
  enforcement: string;
  /** null: it is in progress. */
  dueAt: Date | null;
}

export interface BlockedQueue {
  queue: string;
  noSize: boolean;
  above: { queue: string; enforcement: string } | null;
}

/** The run of a queue above a clock `t`, and whether its quota is a share of the cluster. */
const blockedBy = `
  LEFT JOIN clocks s ON s.partition = t.partition AND s.queue = t.name
  LEFT JOIN LATERAL (
    SELECT json_build_object('queue', r.queue, 'enforcement', r.running_enforcement) AS run FROM clocks r
    WHERE r.partition = t.partition AND r.running_enforcement IS NOT NULL AND starts_with(t.name, r.queue || '.')
    ORDER BY r.queue LIMIT 1) above ON t.state = 'waiting'`;

const noSize = `t.state = 'waiting' AND s.state #>> '{values,maxShare}' IS NOT NULL`;

/** Queues as a table: $1 their partitions, $2 their paths. */
const PLACES = 'unnest($1::text[], $2::text[]) AS place (partition, queue)';

const columnsOf = (places: readonly WaitingPlace[]): [string[], string[]] => [
  places.map(({ partition }) => partition),
  places.map(({ queue }) => queue),
];

/** Clocks that wait for the same are one row: there may be a hundred thousand. Only those that are past their due time need their state. $1 is now. */
export const clocksThatWait = (db: Tx | DataSource, at: string) =>
  db.query<(ClockThatWaits & BlockedQueue & { clocks: number })[]>(
    `SELECT partition, min(name) AS queue, NULL AS enforcement, max(due_at) AS "dueAt", state, false AS "noSize", NULL::json AS above,
              count(*)::int AS clocks
       FROM timers WHERE kind = '${clockKind}' AND state <> 'waiting' GROUP BY partition, due_at <= $1, state
       UNION ALL
       SELECT t.partition, min(t.name), NULL, max(t.due_at), t.state, ${noSize}, above.run::text::json, count(*)::int
       FROM timers t ${blockedBy}
       WHERE t.kind = '${clockKind}' AND t.state = 'waiting' GROUP BY t.partition, t.due_at <= $1, t.state, ${noSize}, above.run::text`,
    [at],
  );

/** Runs of all partitions that have started and have not ended. */
export const startedRuns = (db: Tx | DataSource) =>
  db.query<
    Run[]
  >(`SELECT enforcement, partition, queue, state, outcome, ended_at AS "endedAt", message FROM read_runs
       WHERE outcome IS NULL AND ended_at IS NULL AND started_at IS NOT NULL ORDER BY partition`);

/** How many clocks wait for the end of a freeze; those that will fall due in one still wait for their delay. */
export const clocksThatWaitForFreezes = (db: Tx | DataSource) =>
  db.query<{ count: number }[]>(`SELECT count(*)::int AS count
       FROM timers t JOIN clocks s ON s.partition = t.partition AND s.queue = t.name
       WHERE t.partition IN (${FROZEN_PARTITIONS}) AND t.kind = '${clockKind}' AND t.state = 'pending'
         AND t.due_at > clock_timestamp() AND s.state #> '{pending,frozen}' IS NOT NULL`);

/** The clocks of some queues that wait for a max that goes up and down. */
export const flappingClocks = (db: Tx | DataSource, places: readonly WaitingPlace[]) =>
  db.query<(WaitingPlace & { state: ClockState })[]>(
    `SELECT partition, queue, state FROM clocks JOIN ${PLACES} USING (partition, queue)
       WHERE state #> '{pending,flapping}' IS NOT NULL`,
    columnsOf(places),
  );

/** The node labels of the configurations of some partitions. */
export const nodeLabelsOfPartitions = (db: Tx | DataSource, partitions: readonly string[]) =>
  db.query<{ partition: string; labels: string[] | null }[]>(
    `SELECT partition, ${NODE_LABELS_OF('asked.partition')} AS labels FROM unnest($1::text[]) AS asked (partition)`,
    [partitions],
  );

/** What the clocks of some queues wait for that are due. */
export const blockedClocks = (db: Tx | DataSource, places: readonly WaitingPlace[]) =>
  db.query<(WaitingPlace & BlockedQueue)[]>(
    `SELECT t.partition, t.name AS queue, above.run AS above, ${noSize} AS "noSize"
       FROM ${PLACES} JOIN timers t ON t.partition = place.partition AND t.name = place.queue ${blockedBy}
       WHERE t.kind = '${clockKind}'`,
    columnsOf(places),
  );

/** The runs of some queues: those in progress, and those whose clocks run. */
export const runsOfPlaces = (db: Tx | DataSource, places: readonly WaitingPlace[]) =>
  db.query<(RunAbove & WaitingPlace)[]>(
    `SELECT partition, queue, running_enforcement AS enforcement, NULL::timestamptz AS "dueAt"
       FROM clocks JOIN ${PLACES} USING (partition, queue) WHERE running_enforcement IS NOT NULL
       UNION ALL
       SELECT t.partition, t.name, s.state #>> '{pending,enforcement}', t.due_at
       FROM ${PLACES} JOIN timers t ON t.partition = place.partition AND t.name = place.queue
         JOIN clocks s ON s.partition = t.partition AND s.queue = t.name
       WHERE t.kind = '${clockKind}' AND t.state = 'pending' AND s.state #> '{pending,enforcement}' IS NOT NULL`,
    columnsOf(places),
  );

/** The clocks of the quotas of some queues. */
export const clocksAt = (db: Tx | DataSource, places: readonly WaitingPlace[]) =>
  db.query<ClockThatWaits[]>(
    `SELECT t.partition, t.name AS queue, s.state #>> '{pending,enforcement}' AS enforcement, t.due_at AS "dueAt", t.state
       FROM ${PLACES} JOIN timers t ON t.partition = place.partition AND t.name = place.queue
         JOIN clocks s ON s.partition = t.partition AND s.queue = t.name
       WHERE t.kind = '${clockKind}'`,
    columnsOf(places),
  );

/** The victims of runs that are not settled, in numbers. */
export const openVictimsOf = (db: Tx | DataSource, enforcements: readonly string[]) =>
  db.query<OpenVictims[]>(
    `SELECT enforcement, (count(*) FILTER (WHERE state IN ('planned', 'ordered')))::int AS ready,
              (count(*) FILTER (WHERE state = 'refused'))::int AS refused,
              (count(*) FILTER (WHERE state IN ('notified', 'waiting')))::int AS asked,
              (array_agg(json_build_object('allocation', allocation, 'message', message) ORDER BY rank)
               FILTER (WHERE state = 'refused'))[1] AS refusal
       FROM read_victims WHERE enforcement = ANY ($1) GROUP BY enforcement`,
    [enforcements],
  );

/** How many runs wait for approval, by partition. */
export const runsThatAwaitApproval = (db: Tx | DataSource) =>
  db.query<{ partition: string; runs: number }[]>(`SELECT partition, count(*)::int AS runs FROM read_runs
       WHERE outcome IS NULL AND state = '${waitingForApproval}' GROUP BY partition`);

/** The versions of the configuration that cause runs which are not over. */
export const openVersions = (db: Tx | DataSource, partition: string) =>
  db.query<{ configuration: number }[]>(
    'SELECT DISTINCT configuration FROM runs WHERE partition = $1 AND configuration IS NOT NULL',
    [partition],
  );

/** The clocks of the quotas of some queues, which the timer may be about to remove. */
export const clocksOf = (db: Tx | DataSource, places: readonly WaitingPlace[]) =>
  db.query<{ partition: string; queue: string; dueAt: Date; state: string }[]>(
    `SELECT partition, name AS queue, due_at AS "dueAt", state
       FROM unnest($1::text[], $2::text[]) AS above (partition, name) JOIN timers USING (partition, name)
       WHERE kind = '${clockKind}' AND EXISTS (
         SELECT FROM clocks s WHERE s.partition = timers.partition AND s.queue = timers.name)`,
    columnsOf(places),
  );

/** The states of the clocks of some queues. */
export const statesOf = (db: Tx | DataSource, places: readonly WaitingPlace[]) =>
  db.query<{ partition: string; queue: string; state: ClockState }[]>(
    `SELECT partition, queue, state
       FROM unnest($1::text[], $2::text[]) AS above (partition, queue) JOIN clocks USING (partition, queue)`,
    columnsOf(places),
  );
