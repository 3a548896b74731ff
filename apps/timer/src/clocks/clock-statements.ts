import type { DataSource } from 'typeorm';
import { clockKind } from '#contracts';
import { catalog } from '#contracts/events';
import { clockStream, operatorStream, runStream, type StoredEvent, type Tx } from '#event-store';
import { HOLDS_OF, type Holds } from '#holds';
import type { SavedClock } from '#runs';
import type { Timer } from '#timers';
import { type ClockEvent, clockConsumer } from './clock-event.js';

/** Due clocks of a partition, and whether the limit of any of them is a share of the cluster. */
export interface DueClocks {
  due: Timer[];
  followCluster: boolean;
}

type Row = Timer & { follows: boolean };

/** Pending clocks of a partition that are due at `now`: the longest due first, then the deeper path, then by name. */
export async function dueClocks(
  db: DataSource,
  now: Date,
  { partition, limit }: { partition: string; limit: number },
): Promise<DueClocks> {
  const rows = await db.query<Row[]>(DUE, [clockKind, now.toISOString(), limit, partition]);
  return { due: rows, followCluster: rows.some(({ follows }) => follows) };
}

const DUE = `
  SELECT kind, partition, name, generation, due_at AS "dueAt", state,
         EXISTS (SELECT FROM clocks s WHERE s.partition = due.partition AND s.queue = due.name
                   AND s.state #>> '{values,maxShare}' IS NOT NULL) AS follows
  FROM (SELECT * FROM timers
        WHERE kind = $1 AND state = 'pending' AND due_at <= $2 AND partition = $4
        ORDER BY due_at, length(name) - length(replace(name, '.', '')) DESC, name LIMIT $3) due
  ORDER BY due_at, length(name) - length(replace(name, '.', '')) DESC, name`;

/** $1 ids of requests, $2 their times, $3 the streams of their clocks, $4 the prefix of the streams of operators, $5 ends of clocks and runs, $6 decisions. */
const OVERTAKEN = `
  SELECT asked.id FROM unnest($1::text[], $2::timestamptz[], $3::text[]) AS asked (id, at, stream)
  WHERE EXISTS (
    SELECT FROM events ended JOIN events decided ON decided.stream = $4 || (ended.data ->> 'enforcement')
    WHERE ended.stream = asked.stream AND ended.type = ANY ($5) AND decided.type = ANY ($6) AND decided.time > asked.at)`;

/**
 * Requests of runs that arrive late, after an operator has cancelled or rejected a run of the same queue: the later decision counts. They
 * are dead letters that were handled again, by themselves or on request.
 *
 * @returns their ids.
 */
export async function overtakenRequests(tx: Tx, events: readonly ClockEvent[]): Promise<ReadonlySet<string>> {
  const requests = events.filter((event) => event.name === 'EnforcementRequested');
  if (requests.length === 0) return new Set();
  const rows = await tx.query<{ id: string }[]>(OVERTAKEN, [
    requests.map(({ id }) => id),
    requests.map(({ time }) => time.toISOString()),
    requests.map(({ data }) => clockStream(data.partition, data.queue)),
    operatorStream(''),
    [catalog.EnforcementCancelled.type, catalog.EnforcementReleased.type],
    [catalog.CancelRequested.type, catalog.PlanRejected.type],
  ]);
  return new Set(rows.map(({ id }) => id));
}

/** Events that the consumer of clocks has applied, or that are dead letters. */
export async function handledByClocks(tx: Tx, events: readonly StoredEvent[]): Promise<Set<string>> {
  if (events.length === 0) return new Set();
  const rows = await tx.query<{ id: string }[]>(
    `SELECT e.id FROM unnest($2::uuid[], $3::xid8[], $4::bigint[]) AS e (id, transaction_id, position)
     LEFT JOIN subscriptions s ON s.name = $1
     WHERE EXISTS (SELECT FROM inbox WHERE consumer = $1 AND event_id = e.id)
        OR (e.transaction_id, e.position) <= (s.transaction_id, s.position)`,
    [
      clockConsumer,
      events.map(({ id }) => id),
      events.map(({ transactionId }) => transactionId),
      events.map(({ position }) => position),
    ],
  );
  return new Set(rows.map(({ id }) => id));
}

/** The state of a partition that decides about its queues. */
export interface ClocksOfPartition {
  /** The queues that have a run. */
  running: string[];
  holds: Holds;
  /** Fencing tokens for new runs, ascending. */
  tokens: number[];
  /** By queue: the version of the configuration that last changed its quota, as far as it is on record. */
  causes: Record<string, number>;
  /** The time of the database after the turn was taken. */
  now: Date;
}

const columns = 's.partition, s.queue, s.version, s.state, s.config_version AS "configVersion"';

export async function takeTurn(tx: Tx, partition: string): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('schedule/' || $1, 0))`, [partition]);
}

/**
 * The end of the run is recorded and on its way here: its executor is alive. $1 is the prefix of the streams of runs,
 * $2 the type. The end is the last event of a run, which may have very many.
 */
const HAS_ENDED = `
  coalesce((SELECT e.type = $2 FROM events e WHERE e.stream = $1 || running_enforcement ORDER BY version DESC LIMIT 1), false)`;

/** A run whose lease has expired. */
export interface OverdueRun {
  queue: string;
  enforcement: string;
}

/** The runs that were neither renewed nor ended since they were read. */
export async function stillOver(
  tx: Tx,
  partition: string,
  runs: readonly OverdueRun[],
): Promise<OverdueRun[]> {
  const rows = await tx.query<{ enforcement: string }[]>(
    `SELECT running_enforcement AS enforcement FROM clocks
     WHERE partition = $3 AND queue = ANY ($4::text[]) AND running_enforcement = ANY ($5::text[])
       AND lease_until < now() AND NOT ${HAS_ENDED}`,
    [
      runStream(''),
      catalog.EnforcementEnded.type,
      partition,
      runs.map(({ queue }) => queue),
      runs.map(({ enforcement }) => enforcement),
    ],
  );
  const over = new Set(rows.map(({ enforcement }) => enforcement));
  return runs.filter(({ enforcement }) => over.has(enforcement));
}

/** The clocks of queues, as far as they are saved. */
export function readClocks(
  tx: Tx,
  keys: readonly { partition: string; queue: string }[],
): Promise<SavedClock[]> {
  return tx.query(
    `SELECT ${columns} FROM clocks s
     JOIN unnest($1::text[], $2::text[]) AS k (partition, queue) ON s.partition = k.partition AND s.queue = k.queue`,
    [keys.map((key) => key.partition), keys.map((key) => key.queue)],
  );
}

/** Clocks of one partition, and everything else that a check of them needs, with one statement. */
export async function readState(
  tx: Tx,
  partition: string,
  queues: readonly string[],
): Promise<ClocksOfPartition & { clocks: SavedClock[] }> {
  const rows = await tx.query<
    (Omit<ClocksOfPartition, 'tokens'> & { tokens: string[]; clocks: SavedClock[] })[]
  >(
    `SELECT ARRAY(SELECT queue FROM clocks WHERE partition = $1 AND running_enforcement IS NOT NULL) AS running,
          ${HOLDS_OF('$1')} AS holds,
          date_trunc('milliseconds', clock_timestamp()) AS now,
          ARRAY(SELECT nextval('fencing_tokens')::text FROM generate_series(1, cardinality($2::text[]))) AS tokens,
          (SELECT coalesce(json_agg(json_build_object('partition', partition, 'queue', queue,
                                                      'version', version, 'state', state,
                                                      'configVersion', config_version)), '[]')
           FROM clocks WHERE partition = $1 AND queue = ANY ($2::text[])) AS clocks,
          (SELECT coalesce(json_object_agg(queue, c.version), '{}')
           FROM clocks s,
             LATERAL (SELECT version, previous FROM configurations c
                      WHERE c.partition = s.partition AND c.version >= s.config_version ORDER BY c.version LIMIT 1) AS c
           -- Versions of a configuration are also versions of the stream: this one has the change, unless the right one was deleted.
           WHERE s.partition = $1 AND queue = ANY ($2::text[]) AND coalesce(c.previous, 0) < s.config_version) AS causes`,
    [partition, queues],
  );
  const { tokens, ...state } = rows[0]!;
  return { ...state, tokens: tokens.map(Number) };
}

/** Those of the queues that have a run; their clocks are kept as they are until the transaction has committed. */
export async function keepRunning(
  tx: Tx,
  partition: string,
  queues: readonly string[],
): Promise<Set<string>> {
  const rows = await tx.query<{ queue: string }[]>(
    `SELECT queue FROM clocks
     WHERE partition = $1 AND queue = ANY ($2::text[]) AND running_enforcement IS NOT NULL ORDER BY queue FOR SHARE`,
    [partition, queues],
  );
  return new Set(rows.map(({ queue }) => queue));
}

/** The running clocks of a partition, by queue; with `within` that of this queue and those below it. */
export function readPendingClocks(tx: Tx, partition: string, within: string | null): Promise<SavedClock[]> {
  return tx.query(
    `SELECT ${columns} FROM clocks s
     JOIN timers t ON t.kind = $2 AND t.partition = s.partition AND t.name = s.queue
     WHERE s.partition = $1 AND ($3::text IS NULL OR s.queue = $3 OR s.queue > $3 || '.' AND s.queue < $3 || '/')
     ORDER BY s.queue`,
    [partition, clockKind, within],
  );
}

/** Whether the limit of one of these queues is a share of the cluster. */
export async function followCluster(
  db: DataSource,
  partition: string,
  queues: readonly string[],
): Promise<boolean> {
  const shared = await db.query<unknown[]>(
    `SELECT 1 FROM clocks
     WHERE partition = $1 AND queue = ANY ($2::text[]) AND state #>> '{values,maxShare}' IS NOT NULL LIMIT 1`,
    [partition, queues],
  );
  return shared.length > 0;
}

/** Renews the statistics by which the server plans statements on clocks and timers. */
export async function renewStatistics(db: DataSource): Promise<void> {
  await db.query('ANALYZE clocks, timers');
}

/** The partitions with runs whose lease has expired. */
export async function partitionsWithOverdue(db: DataSource): Promise<string[]> {
  const rows = await db.query<{ partition: string }[]>(
    `SELECT DISTINCT partition FROM clocks
     WHERE running_enforcement IS NOT NULL AND lease_until < now() AND NOT ${HAS_ENDED} ORDER BY partition`,
    [runStream(''), catalog.EnforcementEnded.type],
  );
  return rows.map(({ partition }) => partition);
}

/** The runs of a partition whose lease has expired, by queue; pass the last queue as `after` for the next page. */
export function overdueRuns(
  db: DataSource,
  { partition, after, limit }: { partition: string; after: string; limit: number },
): Promise<OverdueRun[]> {
  return db.query(
    `SELECT queue, running_enforcement AS enforcement FROM clocks
     WHERE partition = $3 AND queue > $4 AND running_enforcement IS NOT NULL AND lease_until < now() AND NOT ${HAS_ENDED}
     ORDER BY queue LIMIT $5`,
    [runStream(''), catalog.EnforcementEnded.type, partition, after, limit],
  );
}
