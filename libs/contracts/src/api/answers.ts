import { z } from 'zod';
import { ownerAnswers } from '../events/answers.js';
import { time } from './shapes.js';

/** An answer of an owner that counts. docs/how-to/checkpoint-handshake.md */
export const ownerAnswerView = z
  .object({
    partition: z.string(),
    allocation: z.string(),
    uid: z.string().nullable().describe('The incarnation; null: the cluster has none.'),
    queue: z.string(),
    application: z.string(),
    answer: z
      .enum(ownerAnswers)
      .describe('ready: evict it now. checkpointed: its work is saved. extend: evict it later.'),
    id: z.string().describe('The id of the answer: sent again, it counts once.'),
    by: z.string(),
    answeredAt: time,
    enforcement: z.string().nullable().describe('Of ready and extend: the run.'),
    seconds: z.number().int().nullable().describe('Of extend: by how long.'),
    until: time
      .nullable()
      .describe(
        'Of extend: its eviction is not requested before; null: the run is not open yet, and the seconds count from its opening.',
      ),
    checkpointedAt: time.nullable().describe('Of checkpointed: what was done before is not lost.'),
    repeated: z.boolean().describe('It was recorded before: nothing changed.'),
    message: z.string().describe('The answer in a sentence.'),
  })
  .meta({ id: 'OwnerAnswer' });
export type OwnerAnswerView = z.infer<typeof ownerAnswerView>;
