import type { DataSource } from 'typeorm';
import { clockKind } from '#contracts';
import { catalog } from '#contracts/events';
import { enforcementStream, operatorStream, type StoredEvent, scheduleStream, type Tx } from '#event-store';
import type { Holds } from '#holds';
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
    requests.map(({ data }) => scheduleStream(data.partition, data.queue)),
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
export interface PartitionState {
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

export const columns = 's.partition, s.queue, s.version, s.state, s.config_version AS "configVersion"';

export async function takeTurn(tx: Tx, partition: string): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('schedule/' || $1, 0))`, [partition]);
}

/**
 * The end of the run is recorded and on its way here: its executor is alive. $1 is the prefix of the streams of runs,
 * $2 the type. The end is the last event of a run, which may have very many.
 */
export const HAS_ENDED = `
  coalesce((SELECT e.type = $2 FROM events e WHERE e.stream = $1 || running_enforcement ORDER BY version DESC LIMIT 1), false)`;

export interface OverdueRun {
  queue: string;
  enforcement: string;
}

/** The numbers of runs read at once, and given up in one transaction: the turn in the partition is short. */
export const readAtOnce = 2000;

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
      enforcementStream(''),
      catalog.EnforcementEnded.type,
      partition,
      runs.map(({ queue }) => queue),
      runs.map(({ enforcement }) => enforcement),
    ],
  );
  const over = new Set(rows.map(({ enforcement }) => enforcement));
  return runs.filter(({ enforcement }) => over.has(enforcement));
}
