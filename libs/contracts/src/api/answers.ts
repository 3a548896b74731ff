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
    id: z.string().describe('The id of the answer: however often it is sent, it counts once.'),
    by: z.string(),
    answeredAt: time,
    enforcement: z.string().nullable().describe('For ready and extend: the run.'),
    seconds: z.number().int().nullable().describe('For extend: its length in seconds.'),
    until: time
      .nullable()
      .describe(
        'For extend: the eviction is not requested before this time; null: the run is not open yet, and the seconds count from its opening.',
      ),
    checkpointedAt: time.nullable().describe('For checkpointed: work done before this time is not lost.'),
    repeated: z.boolean().describe('The answer was recorded before, and nothing changed.'),
    message: z.string().describe('The answer in a sentence.'),
  })
  .meta({ id: 'OwnerAnswer' });
export type OwnerAnswerView = z.infer<typeof ownerAnswerView>;
