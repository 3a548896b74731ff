import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ConfigurationVersion, ConfigurationVersionDetail, ListPage } from '#contracts/api';
import { READER_DATABASE } from '#runtime';
import { numberedPlace, type QueryOf } from './list-query.js';

const columns = `c.partition, c.version, c.previous, c.version = p.version AS "inForce", c.applied_at AS "appliedAt", c.sent_by AS by, c.via,
  c.source, c.submission, c.rolled_back_to AS "rolledBackTo", c.only_queue AS "onlyQueue", c.format, c.digest, c.queues_added AS added,
  c.queues_removed AS removed, c.queues_changed AS changed`;
const recorded = 'configurations c JOIN partitions p USING (partition)';

/** Versions of the configuration of a partition, latest first, as config-ingest recorded them. */
@Injectable()
export class Configurations {
  constructor(@Inject(READER_DATABASE) private readonly db: DataSource) {}

  /** @param query `after` is a version: only those before it. */
  async list(
    partition: string,
    { since, by, limit, after }: QueryOf<'configurations'>,
  ): Promise<ListPage<ConfigurationVersion>> {
    const rows = await this.db.query<ConfigurationVersion[]>(
      `SELECT ${columns} FROM ${recorded}
       WHERE c.partition = $1 AND ($2::timestamptz IS NULL OR c.applied_at >= $2) AND ($3::text IS NULL OR c.sent_by = $3)
         AND ($4::bigint IS NULL OR c.version < $4)
       ORDER BY c.version DESC LIMIT $5`,
      [partition, since ?? null, by ?? null, numberedPlace(after) ?? null, limit + 1],
    );
    const items = rows.slice(0, limit);
    return rows.length > limit ? { items, next: String(items.at(-1)!.version) } : { items };
  }

  async one(partition: string, version: number): Promise<ConfigurationVersionDetail | undefined> {
    const rows = await this.db.query<ConfigurationVersionDetail[]>(
      `SELECT ${columns}, c.quota_preemption_enabled AS "quotaPreemptionEnabled", t.body, c.changes
       FROM ${recorded} JOIN configuration_texts t ON t.partition = c.partition AND t.digest = c.digest
       WHERE c.partition = $1 AND c.version = $2`,
      [partition, version],
    );
    return rows[0];
  }
}
