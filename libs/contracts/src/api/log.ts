import { z } from 'zod';
import { count, pageOf, time } from './shapes.js';

export const eventView = z
  .object({
    id: z.string().describe('The id in Kafka messages (`ce_id`), and of GET /v1/events/{id}.'),
    position: z.string().describe('Grows along the log, with gaps.'),
    time,
    name: z.string().describe('The name of the catalog.'),
    type: z.string().describe('The CloudEvents type.'),
    stream: z.string(),
    version: count,
    queue: z.string(),
    enforcement: z.string().nullable().optional().describe('The run that it belongs to; null: to none.'),
    data: z.unknown().describe('docs/reference/events.schema.json, by its type.'),
  })
  .meta({ id: 'Event' });
export type EventView = z.infer<typeof eventView>;
export const eventPage = pageOf(eventView, 'EventPage');

const eventLink = eventView.pick({ id: true, position: true, time: true, name: true, queue: true });

/** An event between its cause and its effects, as far as the log records them. */
export const eventInContext = z
  .object({
    event: eventView,
    cause: eventLink.nullable().describe('The event that led to it. null: none in the log did.'),
    effects: z.array(eventLink).describe('The events that it led to, oldest first; a hundred at most.'),
  })
  .meta({ id: 'EventInContext' });
export type EventInContext = z.infer<typeof eventInContext>;

/** A notice in a list. */
export const noticeView = z
  .object({
    at: time,
    partition: z.string(),
    queue: z.string(),
    enforcement: z.string().nullable().describe('null: it belongs to no run.'),
    code: z.string(),
    message: z.string(),
    kind: z.string().nullable().describe('The kind of its subject; null if it has none.'),
    name: z.string().nullable().describe('The name of its subject; null if it has none.'),
  })
  .meta({ id: 'Notice' });
export type NoticeView = z.infer<typeof noticeView>;
export const noticePage = pageOf(noticeView, 'NoticePage');
