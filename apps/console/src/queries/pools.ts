import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { InputError } from '#contracts';
import type { ElementView, ListPage } from '#contracts/api';
import { READER_DATABASE } from '#runtime';
import type { QueryOf } from './list-query.js';
import { shownElements } from './queue-statements.js';

/** Findings of the last round of fair-share in a partition; empty where the policy does not run. */
@Injectable()
export class Pools {
  constructor(@Inject(READER_DATABASE) private readonly db: DataSource) {}

  /** Pools by path, or operations by id, of `queue` and below it. Of more than a thousand operations, those with the lowest satisfaction. */
  async list(
    kind: ElementView['kind'],
    { partition, queue, limit, after = '0' }: QueryOf<'elements'>,
  ): Promise<ListPage<ElementView>> {
    if (!/^\d{1,9}$/.test(after)) throw new InputError('query.after', 'is not the `next` of a page before');
    const rows = await shownElements(this.db, partition, kind, queue ?? null, limit + 1, after);
    const items = rows
      .slice(0, limit)
      .map(({ element, takenAt }) => ({ ...element, takenAt: takenAt.toISOString() }));
    return rows.length > limit ? { items, next: String(rows[limit - 1]!.nr) } : { items };
  }
}
