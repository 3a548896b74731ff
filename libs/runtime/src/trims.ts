import { deleteExpiredSnapshots } from '@curtail/event-store';
import { trimAttempts, trimInbox } from '@curtail/messaging';
import type { SettingsOf } from '@curtail/platform';
import type { DataSource } from 'typeorm';
import type { retentionSettings } from './settings/retention-settings.js';

/** Something that is not kept for ever. */
export interface Trim {
  /** Of the metric: the table. */
  table: string;
  /** Deletes a bounded number of rows, in a transaction of its own. */
  step(db: DataSource): Promise<Trimmed>;
}

export interface Trimmed {
  rows: number;
  /** There may be more. */
  more: boolean;
}

const marksAtOnce = 5000;
const snapshotsAtOnce = 20;
const rowsAtOnce = 1000;
const runsAtOnce = 100;
const victimsAtOnce = 5000;

export type Retention = SettingsOf<typeof retentionSettings> & {
  /** Of marks of handled events. */
  inboxDays: number;
};

/** What is trimmed, and when. Nothing that is open or running, or may be resumed. */
export function trimsOf(kept: Retention): Trim[] {
  return [
    {
      table: 'inbox',
      step: async (db) => counted(await trimInbox(db, kept.inboxDays, marksAtOnce), marksAtOnce),
    },
    {
      table: 'attempts',
      step: async (db) => counted(await trimAttempts(db, kept.inboxDays, marksAtOnce), marksAtOnce),
    },
    {
      table: 'snapshots',
      step: async (db) => counted(await deleteExpiredSnapshots(db, snapshotsAtOnce), snapshotsAtOnce),
    },
    { table: 'read_enforcements', step: (db) => trimRuns(db, kept.runRetentionDays) },
    // Numbers of notices grow with their times, near enough: the oldest are found by them.
    oldest('read_notices', 'id', 'at < now() - make_interval(days => $1)', kept.noticeRetentionDays),
    oldest(
      'dead_letters',
      'parked_at, consumer, event_id',
      'parked_at < now() - make_interval(days => $1)',
      kept.deadLetterRetentionDays,
    ),
    oldest(
      'replays',
      'started_at, id',
      "state <> 'running' AND updated_at < now() - make_interval(days => $1)",
      kept.replayRetentionDays,
    ),
    oldest(
      'preemptive_nodes',
      'partition, node',
      'last_preemptive_at < now() - make_interval(days => $1)',
      kept.nodeRetentionDays,
    ),
  ];
}

const counted = (rows: number, limit: number): Trimmed => ({ rows, more: rows >= limit });

/** @param key by which an index has the oldest first; each row is deleted by where it stands, for it is locked. */
function oldest(table: string, key: string, isOver: string, days: number): Trim {
  const order = key
    .split(', ')
    .map((column) => `${table}.${column}`)
    .join(', ');
  return {
    table,
    step: async (db) => {
      const [, rows]: [unknown, number] = await db.query(
        `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
           SELECT ctid FROM ${table} WHERE ${isOver} ORDER BY ${order} LIMIT $2 FOR UPDATE SKIP LOCKED))`,
        [days, rowsAtOnce],
      );
      return counted(rows, rowsAtOnce);
    },
  };
}

/** Runs that have ended, the oldest first; a run goes when its victims are gone, of which it may have very many. */
async function trimRuns(db: DataSource, days: number): Promise<Trimmed> {
  const rows: { runs: number; victims: number }[] = await db.query(
    `WITH due AS MATERIALIZED (
       SELECT enforcement FROM read_enforcements
       WHERE ended_at < now() - make_interval(days => $1) ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED
     ), of_due AS MATERIALIZED (
       SELECT v.enforcement, v.allocation FROM due JOIN read_victims v USING (enforcement) LIMIT $3
     ), victims AS (
       DELETE FROM read_victims v USING of_due o WHERE v.enforcement = o.enforcement AND v.allocation = o.allocation
       RETURNING 1
     ), runs AS (
       DELETE FROM read_enforcements e USING due
       WHERE e.enforcement = due.enforcement AND (SELECT count(*) FROM of_due) < $3
       RETURNING 1
     )
     SELECT (SELECT count(*)::int FROM runs) AS runs, (SELECT count(*)::int FROM victims) AS victims`,
    [days, runsAtOnce, victimsAtOnce],
  );
  const { runs, victims } = rows[0]!;
  return { rows: runs + victims, more: victims >= victimsAtOnce || runs >= runsAtOnce };
}

/** The tables that grow with time, and what they take on the disk, indexes and all. */
export async function tableSizes(db: DataSource): Promise<{ table: string; bytes: number }[]> {
  return db.query(
    `SELECT name AS table,
            coalesce((SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree(to_regclass(name))),
                     pg_total_relation_size(to_regclass(name)))::float8 AS bytes
     FROM unnest($1::text[]) AS name`,
    [watchedTables],
  );
}

const watchedTables = [
  'events',
  'stream_heads',
  'event_ids',
  'inbox',
  'snapshots',
  'read_enforcements',
  'read_victims',
  'read_notices',
  'dead_letters',
  'replays',
];
