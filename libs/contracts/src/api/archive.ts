import { z } from 'zod';
import { count, time } from './shapes.js';

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
