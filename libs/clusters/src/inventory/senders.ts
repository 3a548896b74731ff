import type { DataSource } from 'typeorm';
import type { FeedKind, IgnoredReason } from '#contracts/api';
import { deleteOldest, type KnownEvent, type Tx } from '#event-store';
import { momentOf } from '../tables/rows.js';

/** A source whose clock disagrees with that of the database. */
export interface ClockSkew {
  partition: string;
  source: string;
  /** By how much its clock is ahead; negative = behind, by at most this much. */
  seconds: number;
  /** In one sentence. */
  message: string;
}

/** The code of the notice. */
export const clockSkew = 'clock-skew';

/** Smaller differences are not reported. */
const aheadFromMs = 2000;
/** A single message may be late. If all messages of some minutes are this late, the clock is behind. */
const behindFromMs = 30_000;
const windowSeconds = 300;
/** A clock that is further behind does not extend requests any more: its times are meaningless. */
export const mostBehindSeconds = 900;
const mostSkews = 100;

interface Lag {
  partition: string;
  source: string;
  lagMs: number;
}

/**
 * Compares the times of messages of platform services with the time of the database, in the transaction that handles them.
 * The smallest lag of the last five to ten minutes counts.
 *
 * @param partitionOf the partition that a message is about; undefined: the message is not counted.
 * @param now for tests, in place of the clock of the database.
 */
export async function notePlatformClocks(
  tx: Tx,
  events: readonly KnownEvent[],
  partitionOf: (event: KnownEvent) => string | undefined,
  now: Date | null = null,
): Promise<void> {
  const newest = new Map<string, { partition: string; source: string; time: Date }>();
  for (const event of events) {
    const partition = partitionOf(event);
    if (partition === undefined) continue;
    const { source = '', time } = event;
    // No name of a partition has a line feed.
    const key = `${partition}\n${source}`;
    const known = newest.get(key);
    if (!known || known.time < time) newest.set(key, { partition, source, time });
  }
  // Always in the same order, so that transactions cannot deadlock.
  const sorted = [...newest].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
  if (sorted.length === 0) return;
  await tx.query(
    `INSERT INTO inventory_clocks AS known (partition, source, since, lag_ms, last_message_at)
     SELECT partition, source, at, extract(epoch FROM at - time) * 1000, at
     FROM unnest($1::text[], $2::text[], $3::timestamptz[]) WITH ORDINALITY AS sent (partition, source, time, nr),
          (SELECT coalesce($4::timestamptz, clock_timestamp()) AS at) AS moment
     ORDER BY nr
     ON CONFLICT (partition, source) DO UPDATE SET
       last_message_at = excluded.last_message_at,
       since = CASE WHEN ${isOver} THEN excluded.since ELSE known.since END,
       lag_before_ms = CASE WHEN ${isOver} THEN known.lag_ms ELSE known.lag_before_ms END,
       lag_ms = CASE WHEN ${isOver} THEN excluded.lag_ms ELSE least(known.lag_ms, excluded.lag_ms) END`,
    [
      sorted.map(({ partition }) => partition),
      sorted.map(({ source }) => source),
      sorted.map(({ time }) => time.toISOString()),
      now?.toISOString() ?? null,
    ],
  );
}

const isOver = `excluded.since - known.since > make_interval(secs => ${windowSeconds})`;

/** The sources of one or all partitions whose clocks are ahead or behind by more than a late message explains. */
export async function clockSkews(db: DataSource | Tx, partition?: string): Promise<ClockSkew[]> {
  const lags = await db.query<Lag[]>(
    `SELECT partition, source, least(lag_ms, lag_before_ms) AS "lagMs" FROM inventory_clocks
     WHERE ($1::text IS NULL OR partition = $1)
       AND (least(lag_ms, lag_before_ms) <= ${-aheadFromMs} OR least(lag_ms, lag_before_ms) >= ${behindFromMs})
     ORDER BY partition, source LIMIT ${mostSkews}`,
    [partition ?? null],
  );
  return lags.map(skewOf);
}

/** SQL: how long after its deadline a request may still be carried out, by platform clocks that are behind. */
export const BEHIND = `make_interval(secs => least(${mostBehindSeconds}, coalesce((
  SELECT max(least(lag_ms, lag_before_ms)) / 1000 FROM inventory_clocks c
  WHERE c.partition = inventory_evictions.partition AND least(lag_ms, lag_before_ms) >= ${behindFromMs}
    AND c.last_message_at > requested_at - make_interval(secs => ${2 * windowSeconds})), 0)))`;

function skewOf({ partition, source, lagMs }: Lag): ClockSkew {
  const seconds = -Math.round(lagMs / 1000);
  const whose =
    source === '' ? `of the platform service of ${partition}` : `of ${source} (partition ${partition})`;
  const how = seconds > 0 ? `${seconds} s ahead of` : `up to ${-seconds} s behind`;
  return {
    partition,
    source,
    seconds,
    message: `the clock ${whose} is ${how} the database's`,
  };
}

/** Handled messages of one sender about one partition. */
export interface FeedMessages {
  partition: string;
  kind: FeedKind;
  /** The CloudEvents source; empty if there is none. */
  source: string;
  messages: number;
  /** Of the last message. */
  sequence?: number | undefined;
  submission?: string | undefined;
  sentAt: Date;
  ignored: Partial<Record<IgnoredReason, number>>;
}

/** Senders choose their sources: more of them than this per partition are not recorded. */
const mostSources = 1000;
const longestSource = 500;
const keptDays = 90;

/**
 * Counts handled messages, in the transaction that handles them.
 *
 * @param now for tests, in place of the clock of the database.
 */
export async function noteFeeds(
  tx: Tx,
  feeds: readonly FeedMessages[],
  now: Date | null = null,
): Promise<void> {
  if (feeds.length === 0) return;
  const rows = feeds.map((feed) => ({
    ...feed,
    source: feed.source.slice(0, longestSource).replaceAll('\0', '\ufffd'),
  }));
  // Always in the same order, so that transactions cannot deadlock; a source once, since a statement changes a row once.
  const sorted = [...inSum(rows)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  await tx.query(
    `INSERT INTO feeds AS known (partition, kind, source, messages, sequence, submission, sent_at, received_at, ignored, ignored_at)
     SELECT partition, kind, source, messages, sequence, submission, "sentAt", ${momentOf('$2')}, ignored,
            CASE WHEN ignored <> '{}' THEN ${momentOf('$2')} END
     FROM json_to_recordset($1::json) AS f(partition text, kind text, source text, messages bigint, sequence bigint,
       submission text, "sentAt" timestamptz, ignored jsonb)
     WHERE EXISTS (SELECT FROM feeds o WHERE (o.partition, o.kind, o.source) = (f.partition, f.kind, f.source))
        OR (SELECT count(*) FROM feeds o WHERE o.partition = f.partition) < ${mostSources}
     ON CONFLICT (partition, kind, source) DO UPDATE SET
       messages = known.messages + excluded.messages,
       sequence = CASE WHEN ${isLater} THEN coalesce(excluded.sequence, known.sequence) ELSE known.sequence END,
       submission = CASE WHEN ${isLater} THEN coalesce(excluded.submission, known.submission) ELSE known.submission END,
       sent_at = greatest(known.sent_at, excluded.sent_at), received_at = excluded.received_at,
       ignored = CASE WHEN excluded.ignored = '{}' THEN known.ignored ELSE (
         SELECT jsonb_object_agg(reason, times) FROM (
           SELECT key AS reason, sum(value::bigint) AS times
           FROM (SELECT * FROM jsonb_each_text(known.ignored) UNION ALL SELECT * FROM jsonb_each_text(excluded.ignored)) AS each
           GROUP BY key) AS total) END,
       ignored_at = coalesce(excluded.ignored_at, known.ignored_at)`,
    [JSON.stringify(sorted), now],
  );
}

/** The same messages with one row of each feed, by its key. */
function inSum(feeds: readonly FeedMessages[]): Map<string, FeedMessages> {
  const sums = new Map<string, FeedMessages>();
  for (const feed of feeds) {
    const key = `${feed.partition}\n${feed.kind}\n${feed.source}`;
    const sum = sums.get(key);
    sums.set(key, sum ? together(sum, feed) : feed);
  }
  return sums;
}

function together(before: FeedMessages, { messages, ignored, ...next }: FeedMessages): FeedMessages {
  const isLater = next.sentAt >= before.sentAt;
  const counts = { ...before.ignored };
  for (const [reason, times] of Object.entries(ignored) as [IgnoredReason, number][])
    counts[reason] = (counts[reason] ?? 0) + times;
  return {
    ...before,
    messages: before.messages + messages,
    sequence: isLater ? (next.sequence ?? before.sequence) : before.sequence,
    submission: isLater ? (next.submission ?? before.submission) : before.submission,
    sentAt: isLater ? next.sentAt : before.sentAt,
    ignored: counts,
  };
}

const isLater = 'excluded.sent_at >= known.sent_at';

/** Deletes feeds without a message for 90 days. @returns the number of deleted rows; fewer than `limit` if none is left. */
export function trimFeeds(db: DataSource, limit: number): Promise<number> {
  const isOver = 'received_at < now() - make_interval(days => $1)';
  return deleteOldest(db, 'feeds', { key: ['received_at'], isOver, days: keptDays, limit });
}
