import { Inject, Injectable, Optional } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { InventoryControl } from '#clusters';
import { clusterOf } from '#contracts';
import type { FeedKind, FeedView, InventoryStatus, ListPage } from '#contracts/api';
import { inboundTopics } from '#contracts/events';
import { READER_DATABASE } from '#runtime';
import { notNext, type QueryOf } from './list-query.js';

type Row = Pick<
  FeedView,
  'kind' | 'source' | 'messages' | 'sequence' | 'submission' | 'lagSeconds' | 'configured' | 'deadLetters'
> & {
  partition: string;
  sentAt: Date | null;
  receivedAt: Date | null;
  ignored: Partial<Record<FeedView['ignored'][number]['reason'], number>>;
  ignoredAt: Date | null;
  applied: number | null;
  cluster: string | null;
  version: number | null;
};

/** Consumers of the messages of each kind: docs/how-to/connect-a-scheduler.md. */
const consumers: Record<FeedKind, string> = { inventory: 'inventory', configuration: 'config-ingest' };

/** Senders of reports and configurations over Kafka, by partition, kind and source. */
@Injectable()
export class Feeds {
  constructor(
    @Inject(READER_DATABASE) private readonly db: DataSource,
    @Optional() @Inject(InventoryControl) private readonly inventory: InventoryControl | null,
  ) {}

  /** Without a partition, sources of which all messages are dead letters are listed first: their partition is unknown. */
  async list({ partition, limit, after }: QueryOf<'feeds'>): Promise<ListPage<FeedView>> {
    const place = placeIn(after);
    const rows = await this.db.query<Row[]>(
      `WITH letters AS (
         SELECT CASE topic WHEN $1 THEN 'inventory' ELSE 'configuration' END COLLATE "C" AS kind,
                coalesce(source, '') COLLATE "C" AS source, count(*)::int AS count
         FROM dead_letters WHERE topic IN ($1, $2) GROUP BY 1, 2),
       all_feeds AS (
         SELECT partition, kind, source, messages, sequence, submission, sent_at, received_at, ignored, ignored_at FROM feeds
         UNION ALL
         SELECT '', kind, source, 0, NULL, NULL, NULL, NULL, '{}', NULL FROM letters l
         WHERE NOT EXISTS (SELECT FROM feeds f WHERE (f.kind, f.source) = (l.kind, l.source)))
       SELECT f.partition, f.kind, f.source, f.messages::float8 AS messages, f.sequence::float8 AS sequence, f.submission,
              f.sent_at AS "sentAt", f.received_at AS "receivedAt", f.ignored, f.ignored_at AS "ignoredAt",
              extract(epoch FROM f.received_at - f.sent_at)::float8 AS "lagSeconds", p.partition IS NOT NULL AS configured,
              coalesce(l.count, 0) AS "deadLetters", i.newest_sequence::float8 AS applied, i.cluster,
              CASE WHEN c.source = f.source THEN p.version END AS version
       FROM all_feeds f
       LEFT JOIN letters l USING (kind, source)
       LEFT JOIN partitions p ON p.partition = f.partition
       LEFT JOIN inventory_partitions i ON i.partition = f.partition
       LEFT JOIN configurations c ON c.partition = p.partition AND c.version = p.version AND c.via = 'kafka'
       WHERE ($3::text IS NULL OR f.partition = $3)
         AND ($4::text IS NULL OR (f.partition, f.kind, f.source) > ($4 COLLATE "C", $5 COLLATE "C", $6 COLLATE "C"))
       ORDER BY f.partition, f.kind, f.source LIMIT $7`,
      [
        inboundTopics.inventory,
        inboundTopics.submissions,
        partition ?? null,
        place?.partition ?? null,
        place?.kind ?? null,
        place?.source ?? null,
        limit + 1,
      ],
    );
    const page = rows.slice(0, limit);
    const reports = page.some(({ kind }) => kind === 'inventory')
      ? ((await this.inventory?.status(partition))?.items ?? [])
      : [];
    const last = page.at(-1);
    return {
      items: page.map((row) => viewOf(row, reports)),
      ...(last && rows.length > limit ? { next: `${last.partition}~${last.kind}~${last.source}` } : {}),
    };
  }
}

function viewOf(row: Row, reports: InventoryStatus['items']): FeedView {
  const { partition, kind, source, applied, cluster, version, ignored, ...rest } = row;
  const ofReports = kind === 'inventory';
  const status = ofReports ? reports.find((item) => item.partition === partition) : undefined;
  const own = clusterOf(source);
  const isOther = own !== undefined && cluster !== null && own !== cluster;
  return {
    partition: partition === '' ? null : partition,
    kind,
    source,
    ...rest,
    inForce: ofReports ? (isOther ? null : applied) : version,
    sentAt: row.sentAt?.toISOString() ?? null,
    receivedAt: row.receivedAt?.toISOString() ?? null,
    known: status?.known ?? null,
    ignored: Object.entries(ignored)
      .map(([reason, count]) => ({ reason: reason as FeedView['ignored'][number]['reason'], count }))
      .sort((a, b) => (a.reason < b.reason ? -1 : 1)),
    ignoredAt: row.ignoredAt?.toISOString() ?? null,
    notices: (status?.notices ?? []).filter((notice) => notice.source === null || notice.source === source),
    nextStep: row.deadLetters === 0 ? null : `curtail dead-letters list --consumer ${consumers[kind]}`,
  };
}

function placeIn(after: string | undefined): Pick<Row, 'partition' | 'kind' | 'source'> | undefined {
  if (after === undefined) return undefined;
  const [, partition, kind, source] = /^([^~]{0,64})~(inventory|configuration)~(.*)$/s.exec(after) ?? [];
  if (partition === undefined || source === undefined) throw notNext();
  return { partition, kind: kind as FeedKind, source };
}
