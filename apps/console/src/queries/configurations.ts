import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ConfigurationVersion, ConfigurationVersionDetail, ListPage } from '#contracts/api';
import { READER_DATABASE } from '#runtime';
import { numberedPlace, type QueryOf } from './list-query.js';
import { versionOf, versionsOf } from './partition-statements.js';

/** Versions of the configuration of a partition, latest first, as config-ingest recorded them. */
@Injectable()
export class Configurations {
  constructor(@Inject(READER_DATABASE) private readonly db: DataSource) {}

  /** @param query `after` is a version: only those before it. */
  async list(
    partition: string,
    { since, by, limit, after }: QueryOf<'configurations'>,
  ): Promise<ListPage<ConfigurationVersion>> {
    const rows = await versionsOf(
      this.db,
      partition,
      since ?? null,
      by ?? null,
      numberedPlace(after) ?? null,
      limit + 1,
    );
    const items = rows.slice(0, limit);
    return rows.length > limit ? { items, next: String(items.at(-1)!.version) } : { items };
  }

  async one(partition: string, version: number): Promise<ConfigurationVersionDetail | undefined> {
    const rows = await versionOf(this.db, partition, version);
    return rows[0];
  }
}
