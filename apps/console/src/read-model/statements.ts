import type { DataSource } from 'typeorm';
import { type Facts, policyOfEvent, type RecordedNotice, type Victim } from '#contracts';
import type { Cursor, Tx } from '#event-store';
import type { FoldedEvent } from './folded-event.js';

/** The tables of the read model. */
export interface ReadModelTables {
  enforcements: string;
  victims: string;
  notices: string;
}
export const liveTables: ReadModelTables = {
  enforcements: 'read_runs',
  victims: 'read_victims',
  notices: 'read_notices',
};

/** The consumer that keeps the read model up to date. */
export const readModelConsumer = 'console';

/** The columns that events set. Column names come from this list alone; events only supply values. */
const set = [
  'state',
  'outcome',
  'due_at',
  'started_at',
  'ended_at',
  'late_ms',
  'fencing_token',
  'mode',
  'plan_outcome',
  'target',
  'claimed',
  'shortfall',
  'freed',
  'victims',
  'policy',
  'round',
  'notified',
  'evicted',
  'message',
  'updated_at',
];

/** The values written into the columns: those of `changed`, or the end of the lease where a run has no end of its own. */
const values = (changed: string): string =>
  set
    .map((column) => {
      if (column === 'outcome')
        return `coalesce(${changed}.outcome, CASE WHEN run.changes ->> 'leaseEndedAt' IS NOT NULL THEN 'lease-ended' END)`;
      if (column === 'ended_at')
        return `coalesce(${changed}.ended_at, (run.changes ->> 'leaseEndedAt')::timestamptz)`;
      return `${changed}.${column}`;
    })
    .join(', ');

/** Defaults of a new row. */
const usual = JSON.stringify({
  state: 'scheduled',
  policy: policyOfEvent({}),
  victims: 0,
  notified: 0,
  evicted: 0,
});

/** Adds to the numbers of evictions of runs. */
export const addEvicted = (
  db: Tx | DataSource,
  table: string,
  runs: readonly string[],
  counts: readonly number[],
  times: readonly string[],
) =>
  db.query<unknown>(
    `UPDATE ${table} AS row SET evicted = row.evicted + more.count, updated_at = more.at
     FROM unnest($1::text[], $2::int[], $3::timestamptz[]) AS more (enforcement, count, at)
     WHERE row.enforcement = more.enforcement`,
    [runs, counts, times],
  );

/** Writes what changed into the rows of runs. Each row is written once: a column that no event sets keeps its value or gets its default. */
export const writeRuns = (
  db: Tx | DataSource,
  table: string,
  runs: readonly string[],
  partitions: readonly string[],
  queues: readonly string[],
  changes: string,
) =>
  db.query<unknown>(
    `WITH run AS (
       SELECT *
       FROM ROWS FROM (unnest($1::text[], $2::text[], $3::text[]), json_array_elements($4::json))
         AS run (enforcement, partition, queue, changes)
     ), known AS (
       UPDATE ${table} AS row SET (${set}) = (SELECT ${values('changed')} FROM json_populate_record(row, run.changes) AS changed)
       FROM run WHERE row.enforcement = run.enforcement
       RETURNING row.enforcement
     )
     INSERT INTO ${table} (enforcement, partition, queue, ${set})
     SELECT run.enforcement, run.partition, run.queue, ${values('changed')}
     FROM run, json_populate_record((SELECT json_populate_record(NULL::${table}, $5)), run.changes) AS changed
     WHERE NOT EXISTS (SELECT FROM known WHERE known.enforcement = run.enforcement)`,
    [runs, partitions, queues, changes, usual],
  );

/** The events from one place in the log to another one that set columns of a run. $1 its streams and that of its clock, $2 that one, $3 types, $8 the run. */
export const eventsThatSetRun = (db: Tx | DataSource, values: readonly unknown[]) =>
  db.query<{ id: string }[]>(
    `SELECT id FROM events
     WHERE stream = ANY ($1::text[]) AND type = ANY ($3::text[])
       AND (transaction_id, position) BETWEEN ($4::xid8, $5::bigint) AND ($6::xid8, $7::bigint)
       -- Others than those of its clock belong to the run by their stream; the data of plans are packed.
       AND (stream <> $2 OR data ->> 'enforcement' = $8)
     ORDER BY transaction_id, position`,
    [...values],
  );

/** Counts the evictions of a run in the log up to a place, if it has not ended by then. */
export const countEvictedAgain = (db: Tx | DataSource, values: readonly unknown[]) =>
  db.query<unknown>(
    `UPDATE ${liveTables.enforcements} SET (evicted, updated_at) = (
       SELECT count(*), greatest(updated_at, max(time)) FROM events
       WHERE stream = $2 AND type = ANY ($3::text[]) AND (transaction_id, position) <= ($5::xid8, $6::bigint))
     WHERE enforcement = $1 AND NOT EXISTS (
       SELECT FROM events
       WHERE stream = $2 AND type = ANY ($4::text[]) AND (transaction_id, position) <= ($5::xid8, $6::bigint))`,
    [...values],
  );

/** Adds notices, given as columns. @param condition SQL, about a row `new`. */
export const insertNotices = (
  db: Tx | DataSource,
  table: string,
  condition: string,
  columns: readonly (readonly (string | null)[])[],
) =>
  db.query<unknown>(
    `INSERT INTO ${table} (partition, queue, enforcement, code, message, kind, name, about_queue,
                         at)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
                           $7::text[], $8::text[], $9::timestamptz[])
       AS new (partition, queue, enforcement, code, message, kind, name, about_queue, at)
     WHERE ${condition}`,
    [...columns],
  );

export interface VictimState {
  state: string;
  code: string | null;
  message: string | null;
  /** The subject of the code and the message. */
  about: RecordedNotice['about'] | null;
  /** Seconds of work that its eviction ended; null if it is not evicted, or that is not known. */
  secondsLost: number | null;
  at: string;
}

export interface VictimOfPlan extends VictimState {
  plan: FoldedEvent<'PlanComputed'>;
  victim: Victim;
  /** The code of the deciding rule. */
  rule: string | null;
  facts: Facts | null;
  /** The user of its application. */
  owner: string | null;
}

/** Each with the type as which the server reads the texts of its values. */
export const plannedColumns: readonly {
  name: string;
  type: string;
  of: (planned: VictimOfPlan) => unknown;
}[] = [
  { name: 'enforcement', type: 'text', of: ({ plan }) => plan.data.enforcement },
  { name: 'partition', type: 'text', of: ({ plan }) => plan.data.partition },
  { name: 'allocation', type: 'text', of: ({ victim }) => victim.allocation },
  { name: 'queue', type: 'text', of: ({ victim }) => victim.queue },
  { name: 'application', type: 'text', of: ({ victim }) => victim.application },
  { name: 'rank', type: 'integer', of: ({ victim }) => victim.rank },
  { name: 'uid', type: 'text', of: ({ victim }) => victim.uid ?? null },
  { name: 'resources', type: 'json', of: ({ victim }) => victim.resources },
  { name: 'reason', type: 'text', of: ({ victim }) => victim.reason },
  { name: 'rule', type: 'text', of: ({ rule }) => rule },
  { name: 'facts', type: 'json', of: ({ facts }) => facts },
  { name: 'owner', type: 'text', of: ({ owner }) => owner },
  { name: 'state', type: 'text', of: ({ state }) => state },
  { name: 'code', type: 'text', of: ({ code }) => code },
  { name: 'message', type: 'text', of: ({ message }) => message },
  { name: 'about', type: 'json', of: ({ about }) => about },
  { name: 'seconds_lost', type: 'bigint', of: ({ secondsLost }) => secondsLost },
  { name: 'updated_at', type: 'timestamptz', of: ({ at }) => at },
];

/** In the order of the key, whose index is then written from one end to the other. */
const INSERT_PLANNED = (table: string) => `
  INSERT INTO ${table} (${plannedColumns.map(({ name }) => name).join(', ')})
  SELECT ${plannedColumns.map(({ name, type }) => `${name}::${type}`).join(', ')}
  FROM ROWS FROM (${plannedColumns.map((_, i) => `json_array_elements_text($${i + 1})`).join(', ')})
    AS planned (${plannedColumns.map(({ name }) => name).join(', ')})
  ORDER BY enforcement, allocation
  ON CONFLICT (enforcement, allocation) DO NOTHING`;

/** Victims that an earlier round notified and that still wait. */
export const noteWaiting = (
  db: Tx | DataSource,
  table: string,
  runs: readonly string[],
  ranks: readonly number[],
  times: readonly string[],
) =>
  db.query<unknown>(
    `UPDATE ${table} AS row SET state = 'waiting', message = 'an earlier round notified its owner', updated_at = now.at
     FROM unnest($1::text[], $2::int[], $3::timestamptz[]) AS now (enforcement, rank, at)
     WHERE row.enforcement = now.enforcement AND row.rank = now.rank`,
    [runs, ranks, times],
  );

/** Victims that a round dropped which an earlier one had notified. */
export const noteForgotten = (
  db: Tx | DataSource,
  table: string,
  runs: readonly string[],
  allocations: readonly string[],
  times: readonly string[],
) =>
  db.query<unknown>(
    `UPDATE ${table} AS row SET state = 'forgotten', message = 'later rounds did not choose it again', updated_at = now.at
     FROM unnest($1::text[], $2::text[], $3::timestamptz[]) AS now (enforcement, allocation, at)
     WHERE row.enforcement = now.enforcement AND row.allocation = now.allocation AND row.state = 'notified'`,
    [runs, allocations, times],
  );

/** The states of victims, given as columns. */
export const updateStates = (db: Tx | DataSource, table: string, columns: readonly (readonly unknown[])[]) =>
  db.query<unknown>(
    `UPDATE ${table} AS row SET state = now.state, code = now.code, message = now.message, about = now.about, seconds_lost = now.seconds_lost,
       updated_at = now.at
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::json[], $7::bigint[], $8::timestamptz[])
       AS now (enforcement, allocation, state, code, message, about, seconds_lost, at)
     WHERE row.enforcement = now.enforcement AND row.allocation = now.allocation`,
    [...columns],
  );

/** Adds planned victims: a JSON text for each column. */
export const insertPlannedRows = (db: Tx | DataSource, table: string, columns: readonly string[]) =>
  db.query<unknown>(INSERT_PLANNED(table), [...columns]);

/** Deletes ended runs, oldest first; a run after its victims, of which it may have very many. */
export const deleteEndedRuns = (db: Tx | DataSource, days: number, runs: number, victims: number) =>
  db.query<{ runs: number; victims: number }[]>(
    `WITH due AS MATERIALIZED (
       SELECT enforcement FROM read_runs
       WHERE ended_at < now() - make_interval(days => $1) ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED
     ), of_due AS MATERIALIZED (
       SELECT v.enforcement, v.allocation FROM due JOIN read_victims v USING (enforcement) LIMIT $3
     ), victims AS (
       DELETE FROM read_victims v USING of_due o WHERE v.enforcement = o.enforcement AND v.allocation = o.allocation
       RETURNING 1
     ), runs AS (
       DELETE FROM read_runs e USING due
       WHERE e.enforcement = due.enforcement AND (SELECT count(*) FROM of_due) < $3
       RETURNING 1
     )
     SELECT (SELECT count(*)::int FROM runs) AS runs, (SELECT count(*)::int FROM victims) AS victims`,
    [days, runs, victims],
  );

/** Records plans whose victims have to be added. */
export const insertMissing = (
  db: Tx | DataSource,
  runs: readonly string[],
  transactionIds: readonly string[],
  positions: readonly string[],
) =>
  db.query<unknown>(
    `INSERT INTO read_victims_missing (enforcement, transaction_id, position)
     SELECT * FROM unnest($1::text[], $2::xid8[], $3::bigint[]) ON CONFLICT DO NOTHING`,
    [runs, transactionIds, positions],
  );

/** Records that states of victims have to be folded again from an event on. The place of a run moves back only. */
export const insertBehind = (
  db: Tx | DataSource,
  enforcement: string,
  transactionId: string,
  position: string,
  added: number,
) =>
  db.query<unknown>(
    `INSERT INTO read_victims_missing AS m (enforcement, transaction_id, position, added) VALUES ($1, $2::xid8, $3::bigint - 1, $4)
     ON CONFLICT (enforcement) DO UPDATE SET transaction_id = excluded.transaction_id, position = excluded.position
     WHERE (m.transaction_id, m.position) > (excluded.transaction_id, excluded.position)`,
    [enforcement, transactionId, position, added],
  );

/** The runs whose victims are missing. @param partition null: of all. */
export const missingIn = (db: Tx | DataSource, partition: string | null) =>
  db.query<{ enforcement: string }[]>(
    `SELECT enforcement FROM read_victims_missing m
     WHERE $1::text IS NULL
       OR EXISTS (SELECT FROM read_runs e WHERE e.enforcement = m.enforcement AND e.partition = $1)
     ORDER BY transaction_id, m.position`,
    [partition],
  );

/** How far the tables of the read model have followed the log; no row: their consumer has never run. */
export const placeOfTables = (db: Tx | DataSource, consumer: string) =>
  db.query<Cursor[]>(
    'SELECT transaction_id::text AS "transactionId", position::text FROM subscriptions WHERE name = $1',
    [consumer],
  );
