import { randomBytes } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { CurtailError } from '#contracts';
import type { ListPage, ReplayRequest, ReplayView } from '#contracts/api';
import { type Cursor, deleteOldest, type Tx } from '#event-store';
import { Replay } from '../../entities/index.js';
import { type QueryOf, timedNext, timedPlace } from '../../queries/list-query.js';
import { type ReplayTarget, targets } from './replay-request.js';

/** Together with the target's number, the advisory lock that the process of a replay holds as long as it lives. */
const lockSpace = 730_144;

/** A replay as taken over by the process that runs it. */
export interface TakenReplay {
  replay: string;
  attempt: number;
  cursor: Cursor;
  done: number;
  of: number;
  result: unknown;
  resumed: boolean;
}

export interface ReplayProgress {
  cursor: Cursor;
  done: number;
  of: number;
  result?: unknown;
}

/** Another process has taken the replay over, or it was ended. */
export class ReplayLost extends CurtailError {
  readonly code = 'replay-lost';
}

const view = `id AS replay, "into", request, started_by AS by, host, done::float8 AS done, total::float8 AS of,
  started_at AS "startedAt", updated_at AS "updatedAt", ended_at AS "endedAt", message, result,
  CASE WHEN state = 'running' AND NOT EXISTS (
    SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
    WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.granted AND l.classid = ${lockSpace}
      AND l.objid = CASE "into" ${Object.entries(targets)
        .map(([name, number]) => `WHEN '${name}' THEN ${number}`)
        .join(' ')} END
  ) THEN 'interrupted' ELSE state END AS state`;

/** Latest first. `since`: those started or resumed at that time or later. */
export async function listReplays(
  db: DataSource,
  { state, limit, since, after }: QueryOf<'replays'>,
): Promise<ListPage<ReplayView>> {
  const place = timedPlace(after);
  const rows = await db.query<ReplayView[]>(
    `SELECT * FROM (
       SELECT ${view} FROM replays
       WHERE ($2::timestamptz IS NULL OR replays.updated_at >= $2)
         AND ($3::timestamptz IS NULL OR replays.started_at < $3 OR (replays.started_at = $3 AND id > $4))) listed
     WHERE $5::text IS NULL OR state = $5
     ORDER BY "startedAt" DESC, replay LIMIT $1`,
    [limit + 1, since ?? null, place?.at ?? null, place?.name ?? null, state ?? null],
  );
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return last && rows.length > limit ? { items, next: timedNext(last.startedAt, last.replay) } : { items };
}

export async function oneReplay(db: DataSource, replay: string): Promise<ReplayView | undefined> {
  const rows = await db.query<ReplayView[]>(`SELECT ${view} FROM replays WHERE id = $1`, [replay]);
  return rows[0];
}

export async function runningReplay(db: DataSource, into: ReplayTarget): Promise<ReplayView | undefined> {
  const rows = await db.query<ReplayView[]>(
    `SELECT ${view} FROM replays WHERE "into" = $1 AND state = 'running' ORDER BY replays.updated_at DESC LIMIT 1`,
    [into],
  );
  return rows[0];
}

/** @returns whether this connection holds the lock now; `unlock` or closing the connection releases it. */
export async function lock(connection: Tx, into: ReplayTarget): Promise<boolean> {
  const rows = await connection.query<{ locked: boolean }[]>(
    'SELECT pg_try_advisory_lock($1, $2) AS locked',
    [lockSpace, targets[into]],
  );
  return rows[0]?.locked ?? false;
}

export async function unlock(connection: Tx, into: ReplayTarget): Promise<void> {
  await connection.query('SELECT pg_advisory_unlock($1, $2)', [lockSpace, targets[into]]);
}

/** The latest replay of the same request, taken over; undefined if there is none or it is done. Requires the target's lock. */
export async function takeOver(
  tx: Tx,
  into: ReplayTarget,
  request: ReplayRequest,
  { by, host }: { by: string; host: string },
): Promise<TakenReplay | undefined> {
  const [rows] = await tx.query<[TakenReplay[], number]>(
    `UPDATE replays SET state = 'running', attempt = attempt + 1, stop_wanted = false, started_by = $3, host = $4,
            message = NULL, ended_at = NULL, updated_at = now()
     WHERE id = (SELECT id FROM replays WHERE "into" = $1 AND request::jsonb = $2::jsonb ORDER BY started_at DESC LIMIT 1)
       AND state <> 'done'
     RETURNING id AS replay, attempt, json_build_object('transactionId', transaction_id::text, 'position', position::text)
       AS cursor, done::float8 AS done, total::float8 AS of, result, true AS resumed`,
    [into, JSON.stringify(request), by, host],
  );
  return rows[0];
}

/** Begins a new one: earlier ones of the same request are not resumed after that. */
export async function begin(
  tx: Tx,
  into: ReplayTarget,
  request: ReplayRequest,
  of: number,
  { by, host }: { by: string; host: string },
): Promise<TakenReplay> {
  const replay = `r-${randomBytes(6).toString('hex')}`;
  await tx.getRepository(Replay).insert({
    id: replay,
    into,
    request,
    state: 'running',
    startedBy: by,
    host,
    attempt: 1,
    total: String(of),
  });
  return {
    replay,
    attempt: 1,
    cursor: { transactionId: '0', position: '0' },
    done: 0,
    of,
    result: null,
    resumed: false,
  };
}

/**
 * Stores the progress of a replay, in the transaction of the work.
 *
 * @returns whether a stop was requested.
 * @throws ReplayLost if this process no longer owns it.
 */
export async function checkpoint(
  tx: Tx,
  { replay, attempt }: Pick<TakenReplay, 'replay' | 'attempt'>,
  { cursor, done, of, result }: ReplayProgress,
): Promise<boolean> {
  const [rows] = await tx.query<[{ stop: boolean }[], number]>(
    `UPDATE replays SET transaction_id = $3::xid8, position = $4, done = $5, total = $6,
            result = coalesce($7::json, result), updated_at = now()
     WHERE id = $1 AND attempt = $2 AND state = 'running' RETURNING stop_wanted AS stop`,
    [
      replay,
      attempt,
      cursor.transactionId,
      cursor.position,
      done,
      of,
      result === undefined ? null : JSON.stringify(result),
    ],
  );
  if (!rows[0]) throw new ReplayLost(`replay ${replay} is no longer run by this process`);
  return rows[0].stop;
}

/** Records how it ended; does nothing if this process no longer owns it. */
export async function end(
  db: Tx | DataSource,
  { replay, attempt }: Pick<TakenReplay, 'replay' | 'attempt'>,
  state: 'stopped' | 'failed' | 'done',
  message: string | null = null,
  result?: unknown,
): Promise<void> {
  await db.query(
    `UPDATE replays SET state = $3, message = $4, result = coalesce($5::json, result), ended_at = now(), updated_at = now()
     WHERE id = $1 AND attempt = $2 AND state = 'running'`,
    [replay, attempt, state, message, result === undefined ? null : JSON.stringify(result)],
  );
}

/** Requests a stop at the next page. @returns false if it does not run. */
export async function wantStop(db: DataSource, replay: string): Promise<boolean> {
  const running = { id: replay, state: 'running' } as const;
  const { affected } = await db.getRepository(Replay).update(running, { stopWanted: true });
  return affected === 1;
}

/**
 * Deletes replays that do not run and were last updated a number of days ago, oldest first.
 *
 * @returns how many were deleted; fewer than `limit` means that none is left.
 */
export function trimReplays(db: DataSource, days: number, limit: number): Promise<number> {
  const isOver = "state <> 'running' AND updated_at < now() - make_interval(days => $1)";
  return deleteOldest(db, 'replays', { key: ['started_at', 'id'], isOver, days, limit });
}
