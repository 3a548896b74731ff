import type { DataSource } from 'typeorm';
import type { FeedKind, IgnoredReason } from '#contracts/api';
import { deleteOldest, type Tx } from '#event-store';
import { momentOf } from '../tables/moment.js';

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
  const unique = new Map(rows.map((row) => [`${row.partition}\n${row.kind}\n${row.source}`, row]));
  const sorted = [...unique].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
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

const isLater = 'excluded.sent_at >= known.sent_at';

/** Deletes feeds without a message for 90 days. @returns the number of deleted rows; fewer than `limit` if none is left. */
export function trimFeeds(db: DataSource, limit: number): Promise<number> {
  const isOver = 'received_at < now() - make_interval(days => $1)';
  return deleteOldest(db, 'feeds', { key: ['received_at'], isOver, days: keptDays, limit });
}
