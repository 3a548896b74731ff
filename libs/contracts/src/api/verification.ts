import { z } from 'zod';
import { count } from './shapes.js';

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
