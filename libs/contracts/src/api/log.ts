import { z } from 'zod';
import { count, pageOf, time } from './shapes.js';

export const eventView = z
  .object({
    position: z.string().describe('Grows along the log, with gaps.'),
    time,
    name: z.string().describe('The name of the catalog.'),
    type: z.string().describe('The CloudEvents type.'),
    stream: z.string(),
    version: count,
    queue: z.string(),
    data: z.unknown().describe('docs/reference/events.schema.json, by its type.'),
  })
  .meta({ id: 'Event' });
export type EventView = z.infer<typeof eventView>;
export const eventPage = pageOf(eventView, 'EventPage');

/** A notice in a list. */
export const noticeView = z
  .object({
    at: time,
    partition: z.string(),
    queue: z.string(),
    enforcement: z.string().nullable().describe('null: it belongs to no run.'),
    code: z.string(),
    message: z.string(),
    kind: z.string().nullable().describe('The kind of its subject; null in events of older versions.'),
    name: z.string().nullable().describe('The name of its subject; null in events of older versions.'),
  })
  .meta({ id: 'Notice' });
export type NoticeView = z.infer<typeof noticeView>;
export const noticePage = pageOf(noticeView, 'NoticePage');
