import { z } from 'zod';
import { catalog, type EventName, typesOf } from '#contracts/events';
import {
  answersStream,
  clockStream,
  DATA,
  foresightStream,
  operatorStream,
  planStream,
  runStream,
} from '#event-store';
import { below, numberedPlace, type QueryOf, typesOfEvent } from './list-query.js';

/** The columns of a view of an event. Order by `events.position`, since `position` alone is a text here, and 10 comes before 9. */
export const viewed = `id::text, position::text, time, type, stream, version, key, ${DATA} AS data`;

export interface Selection {
  sql: string;
  values: unknown[];
}

/** The queue of a run, whose clock started it. */
export interface PlaceOfRun {
  partition: string;
  queue: string;
}

const names = Object.keys(catalog) as EventName[];

/** The CloudEvents types of events that state who commanded or sent them. */
const typesWithAuthor = names
  .filter((name) => {
    const { schema } = catalog[name];
    return schema instanceof z.ZodObject && 'by' in schema.shape;
  })
  .flatMap(typesOf);
const foreseenTypes = (['VictimForeseen', 'ForesightWithdrawn'] as const).flatMap(typesOf);

/** The columns of victims that have an index of their own, by filter. */
const ownerColumns = { user: 'owner', application: 'application' } as const;

/** The condition of the index by type, as it is written there: only these events are in it. */
const seldom = `topic NOT IN ('curtail.evictions', 'curtail.evictions.requests')`;
const frequentTopics: readonly string[] = ['curtail.evictions', 'curtail.evictions.requests'];
const seldomTypes = new Set(
  names.filter((name) => !frequentTopics.includes(catalog[name].topic)).flatMap(typesOf),
);

/**
 * Selects the events of a query, latest first, and one more than its page has. Each filter alone is answered by an index: the rest are
 * conditions on what it finds.
 *
 * @param run where the run of the query is; undefined: not known, or none is asked for.
 */
export function selectionOf(query: QueryOf<'events'>, run: PlaceOfRun | undefined): Selection {
  const values: unknown[] = [];
  const value = (given: unknown) => `$${values.push(given)}`;
  const partition = value(query.partition);
  const conditions = [`event.partition = ${partition}`];
  if (query.queue !== undefined) {
    value(query.queue);
    conditions.push(below('event.key COLLATE "C"', values.length));
  }
  if (query.since !== undefined) conditions.push(`event.time >= ${value(query.since)}`);
  if (query.until !== undefined) conditions.push(`event.time < ${value(query.until)}`);
  const before = numberedPlace(query.after);
  if (before !== undefined) conditions.push(`event.position < ${value(before)}`);
  const given = query.type === undefined ? undefined : typesOfEvent(query.type);
  const types =
    query.by === undefined
      ? given
      : typesWithAuthor.filter((type) => given === undefined || given.includes(type));
  if (types) {
    conditions.push(`event.type = ANY (${value(types)})`);
    if (types.every((type) => seldomTypes.has(type))) conditions.push(`event.${seldom}`);
  }
  if (query.by !== undefined) conditions.push(`event.data ->> 'by' = ${value(query.by)}`);
  const whose = (['user', 'application'] as const).flatMap((field) => {
    const given = query[field];
    return given === undefined ? [] : [{ field, column: ownerColumns[field], is: value(given) }];
  });
  const ofVictim = whose.map(({ column, is }) => `${column} = ${is}`).join(' AND ');
  if (whose.length > 0) {
    const ofEvent = whose.map(({ field, is }) => `event.data ->> '${field}' = ${is}`).join(' AND ');
    conditions.push(`(${ofEvent} OR EXISTS (
      SELECT FROM read_victims victim WHERE victim.enforcement = event.data ->> 'enforcement'
        AND victim.allocation = event.data ->> 'allocation' AND ${ofVictim}))`);
  }
  let source = 'events';
  if (query.enforcement !== undefined) {
    source = sourceOfRun(query.enforcement, run, value);
  } else if (whose.length > 0) {
    source = `(SELECT * FROM events WHERE stream = ANY (ARRAY(
        SELECT DISTINCT prefix || enforcement
        FROM read_victims, unnest(${value([runStream(''), answersStream('')])}::text[]) prefix
        WHERE partition = ${partition} AND ${ofVictim}))
      UNION ALL
      SELECT * FROM events WHERE partition = ${partition} AND type = ANY (${value(foreseenTypes)}) AND ${seldom})`;
  }
  return {
    sql: `SELECT ${viewed} FROM ${source} event
      WHERE ${conditions.join(' AND ')} ORDER BY event.position DESC LIMIT ${value(query.limit + 1)}`,
    values,
  };
}

/**
 * SQL: the events of a run, and those of the clock that started it.
 *
 * @param run where it is; undefined: not known, and then its clock is left out.
 * @param value adds a parameter.
 */
export function sourceOfRun(
  enforcement: string,
  run: PlaceOfRun | undefined,
  value: (given: unknown) => string,
): string {
  const own = [planStream, operatorStream, answersStream, runStream].map((of) => of(enforcement));
  const clock = run ? [clockStream, foresightStream].map((of) => of(run.partition, run.queue)) : [];
  return `(SELECT * FROM events WHERE stream = ANY (${value(own)})
    UNION ALL
    SELECT * FROM events WHERE stream = ANY (${value(clock)}) AND data ->> 'enforcement' = ${value(enforcement)})`;
}
