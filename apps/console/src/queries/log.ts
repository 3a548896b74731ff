import { type Limit } from '@curtail/contracts';
import type { EventView, ListPage, PlanView, RecordedPlan } from '@curtail/contracts/api';
import { eventName } from '@curtail/contracts/events';
import { planStream, readEventsById, readStream, type StoredEvent } from '@curtail/event-store';
import { READER_DATABASE } from '@curtail/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { archivedSentence, whereArchived } from '../archive/where-archived.js';
import { below, type ListQuery, numberedPlace } from './list-query.js';

@Injectable()
export class Log {
  constructor(@Inject(READER_DATABASE) private readonly db: DataSource) {}

  /** Events, latest first; with `after` those before that position. */
  async list(query: ListQuery): Promise<ListPage<EventView>> {
    const rows: StoredEvent[] = await this.db.query(
      `SELECT position::text, time, type, stream, version, key, data FROM events
       WHERE partition = $1 AND ${below('key COLLATE "C"', 2)} AND ($3::timestamptz IS NULL OR time >= $3)
         AND ($4::bigint IS NULL OR position < $4)
       ORDER BY events.position DESC LIMIT $5`,
      numberedPage(query),
    );
    const page = rows.slice(0, query.limit);
    return {
      items: page.map(viewOf),
      ...(rows.length > page.length ? { next: page.at(-1)!.position } : {}),
    };
  }

  async one(id: string): Promise<EventView | undefined> {
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) return undefined;
    const event = (await readEventsById(this.db, [id], new Set([id]))).get(id.toLowerCase());
    return event && viewOf(event);
  }

  /** Recorded plans, latest first; with `after` those before that position. */
  async plans(query: ListQuery): Promise<ListPage<PlanView>> {
    const rows: (PlanView & { position: string })[] = await this.db.query(
      `SELECT position::text, data->>'enforcement' AS enforcement, partition, key AS queue, time AS "computedAt",
              data->'plan'->>'outcome' AS outcome, data->'plan'->'target' AS target,
              json_array_length(data->'plan'->'victims') AS victims,
              data->>'snapshotDigest' AS "snapshotDigest", data->>'planDigest' AS "planDigest"
       FROM events
       WHERE type = 'io.curtail.plan.computed.v1' AND partition = $1 AND ${below('key COLLATE "C"', 2)}
         AND ($3::timestamptz IS NULL OR time >= $3) AND ($4::bigint IS NULL OR position < $4)
       ORDER BY events.position DESC LIMIT $5`,
      numberedPage(query),
    );
    const page = rows.slice(0, query.limit);
    return {
      items: page.map(({ position: _, ...plan }) => plan),
      ...(rows.length > page.length ? { next: page.at(-1)!.position } : {}),
    };
  }

  /** The recorded plan of a run, with its inputs. */
  async plan(enforcement: string): Promise<RecordedPlan | undefined> {
    const events = await readStream(this.db, planStream(enforcement), { limit: 10 });
    const computed = events.find((event) => eventName(event.type) === 'PlanComputed');
    if (!computed) return undefined;
    const { plan, snapshotDigest, planDigest, trigger, settings, max, maxShare } = computed.data as Omit<
      RecordedPlan,
      'limit'
    > &
      Limit;
    return {
      enforcement,
      computedAt: computed.time.toISOString(),
      snapshotDigest,
      planDigest,
      trigger,
      settings,
      limit: { max, ...(maxShare !== undefined && { maxShare }) },
      plan,
    };
  }

  /** Why a run has no events here, if they are archived. */
  async archived(enforcement: string): Promise<string | undefined> {
    const where = await whereArchived(this.db, enforcement);
    return where && archivedSentence(enforcement, where);
  }

  /** With a queue: notices of its runs and clocks and of those below it, and notices of others about them. */
  async notices(query: ListQuery): Promise<ListPage<Record<string, unknown>>> {
    const rows: (Record<string, unknown> & { id: string })[] = await this.db.query(
      `SELECT id::text, at, partition, queue, enforcement, code, message, kind, name FROM read_notices
       WHERE partition = $1 AND (${below('queue', 2)} OR (kind IN ('queue', 'pool') AND ${below('name', 2)})) AND ($3::timestamptz IS NULL OR at >= $3)
         AND ($4::bigint IS NULL OR read_notices.id < $4)
       ORDER BY read_notices.id DESC LIMIT $5`,
      numberedPage(query),
    );
    const page = rows.slice(0, query.limit);
    return {
      items: page.map(({ id: _, ...notice }) => notice),
      ...(rows.length > page.length ? { next: page.at(-1)!.id } : {}),
    };
  }
}

const viewOf = (event: StoredEvent): EventView => ({
  position: event.position,
  time: event.time.toISOString(),
  name: eventName(event.type) ?? event.type,
  type: event.type,
  stream: event.stream,
  version: event.version,
  queue: event.key,
  data: event.data,
});

/** Parameters of all lists in descending order of a number. One extra row shows whether there is a next page. */
function numberedPage(query: ListQuery): (string | number | null)[] {
  const { partition, queue, since, after, limit } = query;
  return [partition, queue ?? null, since ?? null, numberedPlace(after) ?? null, limit + 1];
}
