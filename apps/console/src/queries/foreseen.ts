import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ForeseenView, ListPage } from '#contracts/api';
import { READER_DATABASE } from '#runtime';
import { below, notNext, type QueryOf } from './list-query.js';

/** What owners have been told in advance. The planner keeps the tables. */
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
    const items = await this.db.query<ForeseenView[]>(
      `SELECT o.partition, o.queue, f.enforcement, o.application, o.owner AS "user", o.due_at AS "dueAt", o.victims, o.allocations,
              o.resources, o.rule, o.facts, o.reason, o.since, o.checks, o.needs_approval AS "needsApproval",
              o.notified_at AS "notifiedAt", f.checked_at AS "checkedAt", f.fault, f.more
       FROM foreseen_owners o JOIN foresights f ON f.partition = o.partition AND f.queue = o.queue
       WHERE o.partition = $1 AND ${below('o.queue', 2)}
         AND ($3::text IS NULL OR o.owner = $3) AND ($4::text IS NULL OR o.application = $4)
         AND ($5::text IS NULL OR (o.queue, o.application) > ($5, $6)) AND ($8::text IS NULL OR f.enforcement = $8)
       ORDER BY o.queue, o.application LIMIT $7`,
      [
        ...[partition, queue ?? null, user ?? null, application ?? null, afterQueue, afterApplication],
        ...[limit + 1, enforcement ?? null],
      ],
    );
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
