import { Inject, Injectable, Optional } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { InventoryControl } from '#clusters';
import { clusterOf } from '#contracts';
import type { FeedKind, FeedView, InventoryStatus, ListPage } from '#contracts/api';
import { inboundTopics } from '#contracts/events';
import { READER_DATABASE } from '#runtime';
import { notNext, type QueryOf } from './list-query.js';
import { feedsAfter, type FeedRow as Row } from './partition-statements.js';

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
    const rows = await feedsAfter(
      this.db,
      inboundTopics.inventory,
      inboundTopics.submissions,
      partition ?? null,
      place?.partition ?? null,
      place?.kind ?? null,
      place?.source ?? null,
      limit + 1,
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
