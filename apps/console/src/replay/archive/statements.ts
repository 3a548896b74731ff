import { DataSource } from 'typeorm';
import {
  answersStream,
  type Cursor,
  configStream,
  operatorStream,
  planStream,
  runStream,
  type Tx,
} from '#event-store';

/** How many events a partition of the log has, by the statistics of the database. */
export const estimatedEvents = (db: Tx | DataSource, partition: string) =>
  db.query<{ events: number }[]>(
    'SELECT greatest(reltuples, 0)::float8 AS events FROM pg_class WHERE oid = $1::regclass',
    [partition],
  );

/** Streams of one run or one eviction: they end with it. */
const runStreams = [
  ...[planStream(''), operatorStream(''), answersStream(''), runStream('')],
  ...['eviction-', 'announcement-'],
];

/** $1: prefixes of streams that end. A run is open while it is due, holds a lock, is carried out, or is a round in progress. */
const OPEN = `
  SELECT prefix || run AS stream
  FROM unnest($1::text[]) AS prefix CROSS JOIN (
    SELECT running_enforcement AS run FROM clocks WHERE running_enforcement IS NOT NULL
    UNION SELECT state #>> '{pending,enforcement}' FROM clocks WHERE state #>> '{pending,enforcement}' IS NOT NULL
    UNION SELECT enforcement FROM runs
    UNION SELECT enforcement FROM rounds WHERE state <> 'over') open`;

/**
 * Events of a partition that are still needed: all of open runs; the last one of each continuing stream, since the next append
 * builds on it; and quota changes that no clock has applied yet.
 */
const worked = (partition: string) => `
  SELECT e.position FROM ${partition} e WHERE e.stream IN (${OPEN})
  UNION
  SELECT e.position FROM stream_heads h JOIN ${partition} e ON e.stream = h.stream AND e.version = h.version
  WHERE NOT EXISTS (SELECT FROM unnest($1::text[]) AS prefix WHERE starts_with(h.stream, prefix))
  UNION
  SELECT e.position FROM quota_changes c
  LEFT JOIN clocks s ON s.partition = c.partition AND s.queue = c.queue
  JOIN ${partition} e ON e.stream = '${configStream('')}' || c.partition AND e.version = c.version
  WHERE c.version > coalesce(s.config_version, 0)`;

const atOnce = 500;

/** How many events of a partition of the log are still in use. */
export const countWorked = (db: Tx | DataSource, name: string) =>
  db.query<{ count: number }[]>(`SELECT count(*)::int AS count FROM (${worked(name)}) worked`, [runStreams]);

/** Consumers that have not read the log up to a place. */
export const consumersBehind = (db: Tx | DataSource, place: readonly string[]) =>
  db.query<{ name: string }[]>(
    `SELECT name FROM subscriptions WHERE (transaction_id, position) < ($1::xid8, $2::bigint) ORDER BY name`,
    [...place],
  );

/** The servers to which the log is not published up to a place. */
export const relaysBehind = (db: Tx | DataSource, place: readonly string[]) =>
  db.query<{ name: string }[]>(
    `SELECT destination AS name FROM relays WHERE (transaction_id, position) < ($1::xid8, $2::bigint) ORDER BY 1`,
    [...place],
  );

/** Replays that read the log. */
export const replaysInProgress = (db: Tx | DataSource) =>
  db.query<{ id: string }[]>(
    `SELECT id FROM replays WHERE state = 'running' AND "into" <> 'archive' ORDER BY id`,
  );

/** Runs whose victims are still being listed. */
export const runsListedUpTo = (db: Tx | DataSource, place: readonly string[]) =>
  db.query<{ enforcement: string }[]>(
    `SELECT enforcement FROM read_victims_missing
     WHERE (transaction_id, position) <= ($1::xid8, $2::bigint) ORDER BY enforcement`,
    [...place],
  );

/** How many events of a partition of the log are dead letters, by consumer. */
export const lettersIn = (db: Tx | DataSource, partition: string) =>
  db.query<{ consumer: string; count: number }[]>(`SELECT consumer, count(*)::int AS count FROM dead_letters d
     WHERE EXISTS (SELECT FROM ${partition} e WHERE e.id = d.event_id) GROUP BY consumer ORDER BY consumer`);

/** Whether a transaction still runs that may append before a place. */
export const isUnsettled = (db: Tx | DataSource, transactionId: string) =>
  db.query<{ held: boolean }[]>('SELECT NOT ($1::xid8 < log_settled()) AS held', [transactionId]);

/** Some of these events. */
export const someWorkedWith = (db: Tx | DataSource, name: string) =>
  db.query<{ position: string }[]>(`${worked(name)} LIMIT ${atOnce}`, [runStreams]);

/** Some events of a partition of the log that stand behind a place. */
export const someBehind = (db: Tx | DataSource, name: string, { transactionId, position }: Cursor) =>
  db.query<{ position: string }[]>(
    `SELECT position FROM ${name} WHERE (transaction_id, position) > ($1::xid8, $2::bigint) LIMIT ${atOnce}`,
    [transactionId, position],
  );
