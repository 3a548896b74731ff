import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ForeseenView, ListPage } from '#contracts/api';
import { READER_DATABASE } from '#runtime';
import { notNext, type QueryOf } from './list-query.js';
import { foreseenOwners } from './queue-statements.js';

/** What owners have been notified of in advance. The planner keeps the tables. */
@Injectable()
export class ForeseenOwners {
  constructor(@Inject(READER_DATABASE) private readonly db: DataSource) {}

  /** By queue, then application. */
  async list({
    partition,
    queue,
    user,
    application,
    enforcement,
    limit,
    after,
  }: QueryOf<'foreseen'>): Promise<ListPage<ForeseenView>> {
    const [afterQueue, afterApplication] = placeOf(after);
    const items = await foreseenOwners(this.db, [
      ...[partition, queue ?? null, user ?? null, application ?? null, afterQueue, afterApplication],
      ...[limit + 1, enforcement ?? null],
    ]);
    const page = items.slice(0, limit);
    const last = page.at(-1);
    return {
      items: page,
      ...(last && items.length > limit && { next: `${last.queue}~${last.application}` }),
    };
  }
}

/** The names of queues have no `~`. @throws InputError if `after` is not a `next` of this list. */
function placeOf(after: string | undefined): [queue: string | null, application: string | null] {
  if (after === undefined) return [null, null];
  const [, queue, application] = /^([^~]+)~(.+)$/s.exec(after) ?? [];
  if (queue === undefined || application === undefined) throw notNext();
  return [queue, application];
}
