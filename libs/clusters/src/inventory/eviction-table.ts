import type { DataSource, EntityManager } from 'typeorm';
import type { EventData, Resources, SnapshotAllocation } from '#contracts';
import type { Tx } from '#event-store';
import type { EvictionAnnouncement, EvictionRequest } from '../driver.js';
import { momentOf } from '../tables/rows.js';
import { BEHIND, mostBehindSeconds } from './senders.js';

/** SQL: until when an unanswered request of the table inventory_evictions may be carried out. */
export const OPEN_UNTIL = `deadline_at + ${BEHIND}`;

/**
 * SQL: whether an unanswered request of that table may be carried out. The first part alone finds few of them by their deadline.
 *
 * @param moment SQL: a parameter, the moment or null.
 */
export const isOpen = (moment: `$${number}`) =>
  `deadline_at > ${momentOf(moment)} - make_interval(secs => ${mostBehindSeconds}) AND ${OPEN_UNTIL} > ${momentOf(moment)}`;

/** An unanswered request for an allocation that the platform may still evict. */
export interface OpenRequest {
  evictionId: string;
  allocation: string;
  uid: string;
  queue: string;
  resources: Resources;
}

/** The open requests of a partition for allocations that still count as running. */
export function openRequests(
  db: DataSource | EntityManager,
  partition: string,
  now: Date | null,
): Promise<OpenRequest[]> {
  return db.query(
    `SELECT inventory_evictions.eviction_id AS "evictionId", a.id AS allocation, a.uid, a.queue, a.resources
     FROM inventory_evictions JOIN inventory_allocations a ON a.partition = inventory_evictions.partition
       AND a.id = inventory_evictions.allocation AND a.uid = inventory_evictions.uid
     WHERE inventory_evictions.partition = $1 AND answer IS NULL AND ${isOpen('$2')} AND NOT a.gone AND a.state = 'running'`,
    [partition, now],
  );
}

/** Allocations that may be evicted at any moment count as leaving in every plan, even after the requesting run has lost its lock. */
export function withRequested(
  allocations: SnapshotAllocation[],
  requests: readonly OpenRequest[],
): SnapshotAllocation[] {
  const asked = new Set(requests.map(({ allocation, uid }) => JSON.stringify([allocation, uid])));
  if (asked.size === 0) return allocations;
  return allocations.map((one) =>
    asked.has(JSON.stringify([one.id, one.uid])) ? { ...one, state: 'preempting' } : one,
  );
}

/**
 * $1 eviction ids. Where the platform answered that another incarnation has the id of the victim, that one counts as usage from the answer
 * on, until a report or a listing says more: it is taken to be as large as the victim, on no known node, and to have started now. It has
 * the sequence of the last listing, so every report that still counts is newer. What reports already say of the id is not touched.
 */
const PRESUME = `
  INSERT INTO inventory_allocations (
    partition, id, uid, sequence, gone, application, queue, resources, priority, role, allow_preemption, started_at, state,
    interruptible, protected, budgets)
  SELECT DISTINCT ON (a.partition, a.id) a.partition, a.id, asked.answer ->> 'uid', p.listed_sequence, false, a.application, a.queue,
    a.resources, a.priority, a.role, a.allow_preemption, date_trunc('milliseconds', clock_timestamp()), 'running',
    a.interruptible, a.protected, a.budgets
  FROM inventory_evictions asked
  JOIN inventory_partitions p ON p.partition = asked.partition
  JOIN inventory_allocations a ON a.partition = asked.partition AND a.id = asked.allocation AND a.uid = asked.uid
  WHERE asked.eviction_id = ANY ($1) AND asked.answer ->> 'answer' = 'other-incarnation' AND a.resources IS NOT NULL
    AND NOT EXISTS (SELECT FROM inventory_allocations other
                    WHERE other.partition = a.partition AND other.id = a.id AND NOT other.gone)
  ORDER BY a.partition, a.id, a.sequence DESC
  ON CONFLICT DO NOTHING`;

/** Counts the incarnations that have replaced victims, after the answers are recorded and the victims are gone. */
export async function presumeReplacements(tx: Tx, evictionIds: readonly string[]): Promise<void> {
  if (evictionIds.length > 0) await tx.query(PRESUME, [evictionIds]);
}

export type Answer = EventData<'EvictionAnswered'>;
export interface Asked {
  evictionId: string;
  partition: string;
  allocation: string;
  uid: string;
  /** The cluster that the partition belongs to, if known. */
  cluster: string | null;
}

/** The requests that were answered, by eviction id. */
export async function requestsOf(db: DataSource, answers: readonly Answer[]): Promise<Map<string, Asked>> {
  const rows = await db.query<Asked[]>(
    `SELECT eviction_id AS "evictionId", partition, allocation, uid, cluster
     FROM inventory_evictions LEFT JOIN inventory_partitions USING (partition)
     WHERE eviction_id = ANY ($1)`,
    [answers.map(({ evictionId }) => evictionId)],
  );
  return new Map(rows.map((row) => [row.evictionId, row]));
}

/** The partition of each eviction that was requested in the last days, by its id. */
export async function partitionsOfEvictions(
  db: DataSource,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db.query<{ id: string; partition: string }[]>(
    'SELECT eviction_id AS id, partition FROM inventory_evictions WHERE eviction_id = ANY ($1)',
    [ids],
  );
  return new Map(rows.map(({ id, partition }) => [id, partition]));
}

/** Records answers in their order, with as many statements as for one. */
export async function noteAnswers(tx: Tx, received: { answer: Answer; request: Asked }[]): Promise<void> {
  if (received.length === 0) return;
  await tx.query(NOTE_ANSWERS, [
    received.map(({ answer }) => answer.evictionId),
    received.map(({ answer }) => answer.attempt),
    received.map(({ answer }) => JSON.stringify(answer)),
    received.map(({ answer }) => answer.answer !== 'refused'),
  ]);
  const ending = received.filter(({ answer }) => answer.answer !== 'refused');
  if (ending.length === 0) return;
  await tx.query(NOTE_ENDS, [
    ending.map(({ request }) => request.partition),
    ending.map(({ request }) => request.allocation),
    ending.map(({ request }) => request.uid),
    ending.map(({ request }) => request.evictionId),
    ending.map(({ answer }) => answer.answer !== 'accepted'),
  ]);
  await presumeReplacements(
    tx,
    ending
      .filter(({ answer }) => answer.answer === 'other-incarnation')
      .map(({ answer }) => answer.evictionId),
  );
}

/** $1 eviction ids, $2 attempts, $3 answers, $4 whether the answer holds for every attempt. */
const NOTE_ANSWERS = `
  UPDATE inventory_evictions asked SET answer = first.answer
  FROM (SELECT DISTINCT ON (sent.eviction_id) sent.*
        FROM unnest($1::text[], $2::int[], $3::jsonb[], $4::boolean[]) WITH ORDINALITY
          AS sent (eviction_id, attempt, answer, of_all, nr)
        JOIN inventory_evictions known ON known.eviction_id = sent.eviction_id
        WHERE known.attempt = sent.attempt OR sent.of_all
        ORDER BY sent.eviction_id, nr) AS first
  WHERE asked.eviction_id = first.eviction_id AND asked.answer IS NULL
    AND (asked.attempt = first.attempt OR first.of_all)`;

/** $1 partitions, $2 allocations, $3 uids, $4 eviction ids, $5 whether the allocation is gone; otherwise its eviction was accepted. */
const NOTE_ENDS = `
  UPDATE inventory_allocations a SET changed_at = now(), eviction_id = first.eviction_id,
    state = CASE WHEN a.state = 'running' AND NOT first.gone THEN 'releasing' ELSE a.state END, gone = first.gone
  FROM (SELECT DISTINCT ON (partition, id, uid) *
        FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::boolean[]) WITH ORDINALITY
          AS sent (partition, id, uid, eviction_id, gone, nr)
        ORDER BY partition, id, uid, nr) AS first
  WHERE a.partition = first.partition AND a.id = first.id AND a.uid = first.uid AND NOT a.gone AND a.eviction_id IS NULL`;

/** A running allocation whose owner is notified of its eviction. */
interface Recipient {
  allocation: string;
  uid: string;
  queue: string;
  application: string;
  /** Of its announcement, from 1 on. */
  nr: number;
}

/** The running allocations that announcements are about, in their order. */
export function recipientsOf(tx: Tx, announcements: readonly EvictionAnnouncement[]): Promise<Recipient[]> {
  return tx.query(
    `SELECT a.id AS allocation, a.uid, a.queue, a.application, new.nr::int AS nr
     FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS new (partition, id, uid, nr)
     JOIN inventory_allocations a ON a.partition = new.partition AND a.id = new.id
       AND a.uid = coalesce(new.uid, a.uid) AND a.state = 'running' AND NOT a.gone
     ORDER BY new.nr`,
    [
      announcements.map(({ partition }) => partition),
      announcements.map(({ allocation }) => allocation),
      announcements.map(({ uid }) => uid ?? null),
    ],
  );
}

/** The allocation that a request is about. */
export interface ListedAllocation {
  uid: string;
  queue: string;
  application: string;
  state: string;
  /** Of the kill that the platform accepted for it. */
  evictionId: string | null;
}

/** The recorded state of a kill: the number of its last attempt, and for how long that attempt is open; null if it is not. */
export interface KnownRequest {
  attempt: number;
  openMs: number | null;
}

/** The allocations of these requests that are there. Their rows are locked until the requests are committed. */
export function lockTargets(
  tx: Tx,
  requests: readonly EvictionRequest[],
): Promise<(ListedAllocation & { partition: string; id: string })[]> {
  return tx.query(
    `SELECT partition, id, uid, queue, application, state, eviction_id AS "evictionId" FROM inventory_allocations
     WHERE (partition, id) IN (SELECT * FROM unnest($1::text[], $2::text[])) AND NOT gone
     ORDER BY partition, id FOR UPDATE`,
    [requests.map(({ partition }) => partition), requests.map(({ allocation }) => allocation)],
  );
}

/** The kills that were requested before, by eviction id. */
export async function knownRequests(
  tx: Tx,
  evictionIds: readonly string[],
  now: Date | null,
): Promise<Map<string, KnownRequest>> {
  const rows = await tx.query<(KnownRequest & { evictionId: string })[]>(
    `SELECT eviction_id AS "evictionId", attempt,
            CASE WHEN answer IS NULL
                 THEN extract(epoch FROM ${OPEN_UNTIL} - ${momentOf('$2')})::float8 * 1000 END AS "openMs"
     FROM inventory_evictions WHERE eviction_id = ANY ($1)`,
    [evictionIds, now],
  );
  return new Map(rows.map((row) => [row.evictionId, row]));
}

/** Records requests as open, each with the incarnation that it is about. Times are RFC 3339. */
export async function putRequests(
  tx: Tx,
  opened: readonly { request: EvictionRequest; uid: string; attempt: number }[],
  { at, deadlineAt }: { at: string; deadlineAt: string },
): Promise<void> {
  await tx.query(
    `INSERT INTO inventory_evictions (eviction_id, partition, allocation, uid, attempt, requested_at, deadline_at)
     SELECT eviction_id, partition, allocation, uid, attempt, $6, $7
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[])
       AS opened (eviction_id, partition, allocation, uid, attempt)
     ON CONFLICT (eviction_id) DO UPDATE SET
       allocation = excluded.allocation, uid = excluded.uid, attempt = excluded.attempt,
       requested_at = excluded.requested_at, deadline_at = excluded.deadline_at, answer = NULL`,
    [
      opened.map(({ request }) => request.evictionId),
      opened.map(({ request }) => request.partition),
      opened.map(({ request }) => request.allocation),
      opened.map(({ uid }) => uid),
      opened.map(({ attempt }) => attempt),
      at,
      deadlineAt,
    ],
  );
}

/** The answers that are recorded for these kills. */
export function answersOf(
  db: DataSource,
  evictionIds: readonly string[],
): Promise<{ evictionId: string; attempt: number; answer: Answer }[]> {
  return db.query(
    `SELECT eviction_id AS "evictionId", attempt, answer FROM inventory_evictions
     WHERE eviction_id = ANY ($1) AND answer IS NOT NULL`,
    [evictionIds],
  );
}

/** What the platform answered to a request; null: nothing yet. Undefined: there is no such request. */
export async function answerKind(
  db: DataSource,
  evictionId: string,
): Promise<{ answer: Answer['answer'] | null } | undefined> {
  const [asked] = await db.query<{ answer: Answer['answer'] | null }[]>(
    "SELECT answer ->> 'answer' AS answer FROM inventory_evictions WHERE eviction_id = $1",
    [evictionId],
  );
  return asked;
}

/** A request without an answer, and until when it may be carried out; undefined: there is none. */
export async function unansweredRequest(
  db: DataSource,
  evictionId: string,
  now: Date | null,
): Promise<{ partition: string; openUntil: Date; isOpen: boolean } | undefined> {
  const [asked] = await db.query<{ partition: string; openUntil: Date; isOpen: boolean }[]>(
    `SELECT partition, "openUntil", "openUntil" > ${momentOf('$2')} AS "isOpen"
     FROM (SELECT partition, ${OPEN_UNTIL} AS "openUntil" FROM inventory_evictions WHERE eviction_id = $1 AND answer IS NULL) AS asked`,
    [evictionId, now],
  );
  return asked;
}
