import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { EventData, Limit } from '#contracts';
import type { EventInContext, EventView, ListPage, PlanView, RecordedPlan } from '#contracts/api';
import { catalog, type EventName, eventName, typesOf, upcast } from '#contracts/events';
import {
  OUTLINE,
  planStream,
  readEventsById,
  readStream,
  runOfStream,
  SCHEMA_VERSION,
  type StoredEvent,
  unpackData,
  unpackText,
} from '#event-store';
import { READER_DATABASE } from '#runtime';
import { archivedSentence, whereArchived } from '../archive/where-archived.js';
import { type Bond, bondAfter, effectsOf, namesAfter, ruleOf } from './cause.js';
import { below, numberedPlace, type QueryOf } from './list-query.js';
import { type PlaceOfRun, selectionOf, viewed } from './log-filter.js';
import { placeOfRun } from './run-statements.js';

@Injectable()
export class Log {
  constructor(@Inject(READER_DATABASE) private readonly db: DataSource) {}

  /** Events, latest first; with `after` those before that position. */
  async list(query: QueryOf<'events'>): Promise<ListPage<EventView>> {
    const { sql, values } = selectionOf(query, await this.placeOf(query.enforcement));
    const rows = await this.db.query<StoredEvent[]>(sql, values);
    const page = await unpackData(rows.slice(0, query.limit));
    return {
      items: page.map(viewOf),
      ...(rows.length > page.length ? { next: page.at(-1)!.position } : {}),
    };
  }

  private async placeOf(enforcement: string | undefined): Promise<PlaceOfRun | undefined> {
    if (enforcement === undefined) return undefined;
    const [place] = await placeOfRun(this.db, enforcement);
    return place;
  }

  /** An event by its position, with its cause and its effects. */
  async inContext(position: string): Promise<EventInContext | undefined> {
    const [found] = await this.db.query<(StoredEvent & { partition: string })[]>(
      `SELECT ${viewed}, partition FROM events WHERE position = $1`,
      [position],
    );
    if (!found) return undefined;
    await unpackData([found]);
    const event = viewOf(found);
    const { enforcement } = event;
    const { allocation } = (event.data ?? {}) as { allocation?: string };
    const related = async (names: readonly EventName[], bond: Bond, isBefore: boolean, limit: number) => {
      if (names.length === 0) return [];
      const rows = await this.db.query<StoredEvent[]>(
        `SELECT ${viewed} FROM events
         WHERE partition = $1 AND type = ANY ($2) AND position ${isBefore ? '<' : '>'} $3
           AND ${bond === 'stream' ? 'stream = $4' : 'key = $4'}
           AND ($5::text IS NULL OR ${OUTLINE} ->> 'enforcement' = $5) AND ($6::text IS NULL OR ${OUTLINE} ->> 'allocation' = $6)
         ORDER BY events.position ${isBefore ? 'DESC' : ''} LIMIT $7`,
        [
          ...[
            found.partition,
            names.flatMap(typesOf),
            position,
            bond === 'stream' ? event.stream : event.queue,
          ],
          bond === 'run' || bond === 'victim' ? (enforcement ?? null) : null,
          bond === 'victim' ? (allocation ?? null) : null,
          limit,
        ],
      );
      return (await unpackData(rows)).map(viewOf);
    };
    const rule = ruleOf(event);
    const [cause] = rule ? await related(rule.of, rule.bond, true, 1) : [];
    const following = await related(namesAfter(event.name), bondAfter(event.name), false, mostFollowing);
    const link = ({ id, position: at, time, name, queue }: EventView) => ({
      id,
      position: at,
      time,
      name,
      queue,
    });
    return {
      event,
      cause: cause ? link(cause) : null,
      effects: effectsOf(event, following).slice(0, mostEffects).map(link),
    };
  }

  async one(id: string): Promise<EventView | undefined> {
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) return undefined;
    const event = (await readEventsById(this.db, [id], new Set([id]))).get(id.toLowerCase());
    return event && viewOf(event);
  }

  /** Recorded plans, latest first; with `after` those before that position. */
  async plans(query: QueryOf<'plans'>): Promise<ListPage<PlanView>> {
    const rows = await this.db.query<(PlanView & { position: string; packed: Buffer | null })[]>(
      `WITH page AS (
         SELECT position, partition, key, time, ${OUTLINE} AS data, packed FROM events
         WHERE type = 'io.curtail.plan.computed.v1' AND partition = $1 AND ${below('key COLLATE "C"', 2)}
           AND ($3::timestamptz IS NULL OR time >= $3) AND ($4::bigint IS NULL OR position < $4)
           AND ($6::text IS NULL OR EXISTS (
             SELECT FROM read_runs run WHERE stream = 'plan-' || run.enforcement AND run.policy = $6))
         ORDER BY position DESC LIMIT $5)
       SELECT position::text, origin.enforcement, page.partition, key AS queue, time AS "computedAt",
              coalesce(e.plan_outcome, planned.outcome) AS outcome, coalesce(e.target, planned.target) AS target,
              coalesce(e.victims, json_array_length(planned.victims)) AS victims,
              "snapshotDigest", "planDigest", CASE WHEN e.enforcement IS NULL THEN packed END AS packed
       FROM page
       CROSS JOIN json_to_record(data) AS origin (enforcement text, "snapshotDigest" text, "planDigest" text, plan json)
       LEFT JOIN read_runs e ON e.enforcement = origin.enforcement AND e.plan_outcome IS NOT NULL
       LEFT JOIN json_to_record(CASE WHEN e.enforcement IS NULL THEN origin.plan END)
         AS planned (outcome text, target json, victims json) ON true
       ORDER BY page.position DESC`,
      [...numberedPage(query), query.policy ?? null],
    );
    const page = rows.slice(0, query.limit);
    const items: PlanView[] = [];
    // One after the other: each may be long.
    for (const { position: _, packed, ...plan } of page) {
      items.push(packed ? { ...plan, ...(await resultOf(packed)) } : plan);
    }
    return {
      items,
      ...(rows.length > page.length ? { next: page.at(-1)!.position } : {}),
    };
  }

  /** The recorded plan of a run, with its inputs. */
  async plan(enforcement: string): Promise<RecordedPlan | undefined> {
    const events = await readStream(this.db, planStream(enforcement), { limit: 10 });
    const computed = events.find((event) => eventName(event.type) === 'PlanComputed');
    if (!computed) return undefined;
    const { plan, ...origin } = computed.data as Origin & Pick<RecordedPlan, 'plan'>;
    return { ...originOf(enforcement, computed.time, origin), plan };
  }

  /** As `plan`, without the plan itself: a large one takes long to read. */
  async planOrigin(enforcement: string): Promise<Omit<RecordedPlan, 'plan'> | undefined> {
    const [row] = await this.db.query<{ time: Date; schemaVersion: number; data: unknown }[]>(
      `SELECT time, ${SCHEMA_VERSION} AS "schemaVersion", to_json(origin) AS data
       FROM events, json_to_record(${OUTLINE})
         AS origin ("snapshotDigest" text, "planDigest" text, trigger json, settings json, max json, "maxShare" json)
       WHERE stream = $1 AND type = $2 LIMIT 1`,
      [planStream(enforcement), catalog.PlanComputed.type],
    );
    return (
      row && originOf(enforcement, row.time, upcast('PlanComputed', row.schemaVersion, row.data) as Origin)
    );
  }

  /** Why a run has no events here, if they are archived. */
  async archived(enforcement: string): Promise<string | undefined> {
    const where = await whereArchived(this.db, enforcement);
    return where && archivedSentence(enforcement, where);
  }

  /** With a queue: notices of its runs and clocks and of those below it, and notices of others about them or work in them. */
  async notices(query: QueryOf<'notices'>): Promise<ListPage<Record<string, unknown>>> {
    const rows = await this.db.query<(Record<string, unknown> & { id: string })[]>(
      `SELECT id::text, at, partition, queue, enforcement, code, message, kind, name FROM read_notices
       WHERE partition = $1 AND (${below('queue', 2)} OR ${below('about_queue', 2)}
           OR (kind IN ('queue', 'pool') AND ${below('name', 2)})) AND ($3::timestamptz IS NULL OR at >= $3)
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

/** The columns of a plan that the read model does not have yet. */
async function resultOf(packed: Buffer): Promise<Pick<PlanView, 'outcome' | 'target' | 'victims'>> {
  const { plan } = JSON.parse((await unpackText(packed)).toString()) as EventData<'PlanComputed'>;
  return { outcome: plan.outcome, target: plan.target, victims: plan.victims.length };
}

type Origin = Omit<RecordedPlan, 'plan' | 'limit'> & Limit;

function originOf(
  enforcement: string,
  computedAt: Date,
  { snapshotDigest, planDigest, trigger, settings, max, maxShare }: Origin,
): Omit<RecordedPlan, 'plan'> {
  return {
    enforcement,
    computedAt: computedAt.toISOString(),
    snapshotDigest,
    planDigest,
    trigger,
    settings,
    limit: { max, ...(maxShare && { maxShare }) },
  };
}

const mostFollowing = 300;
const mostEffects = 100;

const viewOf = (event: StoredEvent): EventView => ({
  id: event.id,
  position: event.position,
  time: event.time.toISOString(),
  name: eventName(event.type) ?? event.type,
  type: event.type,
  stream: event.stream,
  version: event.version,
  queue: event.key,
  enforcement: runOf(event),
  data: event.data,
});

function runOf({ stream, data }: Pick<StoredEvent, 'stream' | 'data'>): string | null {
  const { enforcement } = (data ?? {}) as { enforcement?: unknown };
  return runOfStream(stream) ?? (typeof enforcement === 'string' ? enforcement : null);
}

/** Parameters of all lists in descending order of a number. One extra row shows whether there is a next page. */
function numberedPage(query: QueryOf<'notices'>): (string | number | null)[] {
  const { partition, queue, since, after, limit } = query;
  return [partition, queue ?? null, since ?? null, numberedPlace(after) ?? null, limit + 1];
}
