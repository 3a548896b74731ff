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

const place = z.object({ transactionId: z.string(), position: z.string() });

/** A place where the log is not as it was recorded. */
export const logFault = z
  .object({
    kind: z.enum(['changed', 'missing', 'added', 'reordered', 'broken-chain', 'other-checkpoint']),
    partition: z.string().describe('The partition of Curtail whose chain shows it; `*` for all.'),
    position: z.string().describe('Position of the event; of a block, that of its last event.'),
    message: z.string(),
    recorded: z.string().optional().describe('Digest of the event in the chain, in hex.'),
    found: z.string().optional().describe('Digest of the event that is there, in hex.'),
  })
  .meta({ id: 'LogFault' });

/** The log compared with the next blocks of its hash chains. */
export const logVerification = z
  .object({
    pass: count.describe('The last pass over the log that was compared; ask for the next page after it.'),
    atEnd: z.boolean().describe('No block follows.'),
    blocks: z.array(
      z
        .object({
          partition: z.string(),
          block: count.describe('Number in the chain of the partition, from 1.'),
          pass: count,
          through: place.describe('The place up to which the pass went.'),
          hash: z.string().describe('Hex.'),
        })
        .meta({ id: 'LogBlock' }),
    ),
    events: count.describe('Events in the database that were compared.'),
    archived: count.describe('Events of these blocks that are only in archives.'),
    faults: z.array(logFault),
  })
  .meta({ id: 'LogVerification' });
export type LogVerification = z.infer<typeof logVerification>;

const cursor = z.object({ transactionId: z.string(), position: z.string() });
const monthStart = time.nullable().describe('null for the first partition of the log');

/** A partition of the log that can be archived. */
export const archivable = z
  .object({
    partition: z.string(),
    from: monthStart,
    to: time,
    events: count.describe('Number of events, as the database estimates it.'),
    stay: count.describe('Number of these events that stay in the database because they are still in use.'),
  })
  .meta({ id: 'ArchivablePartition' });
export type Archivable = z.infer<typeof archivable>;

const archivedPartition = z
  .object({
    folder: z.string(),
    format: z.literal(1).describe('The version of the file format.'),
    partition: z.string(),
    from: monthStart,
    to: time,
    file: z.string(),
    sha256: z.string().describe('Digest of the file on disk, in hex.'),
    bytes: count,
    events: count,
    plans: count,
    plansWithoutInput: count.describe('Plans whose input was no longer kept.'),
    first: cursor.nullable().describe('The place of the first event; null without events.'),
    last: cursor.nullable().describe('The place of the last event; null without events.'),
    writtenAt: time,
    stayed: count.describe('Events that stay in the database as well.'),
  })
  .meta({ id: 'ArchivedPartition' });

export const archived = z
  .object({ partitions: z.array(archivedPartition), events: count })
  .meta({ id: 'ArchiveResult' });
export type Archived = z.infer<typeof archived>;

export const logPartitionList = z
  .object({
    items: z.array(
      z
        .object({
          name: z.string(),
          from: time.nullable().describe('null: from the beginning'),
          to: time,
          state: z.enum(['written', 'detached', 'dropped']).nullable(),
          archive: z.looseObject({ folder: z.string(), file: z.string() }).nullable(),
          through: cursor.nullable().describe('The place up to which it is archived.'),
        })
        .meta({ id: 'LogPartition' }),
    ),
  })
  .meta({ id: 'LogPartitionList' });
