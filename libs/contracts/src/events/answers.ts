import { z } from 'zod';
import { id, inboundLimits, moment, partitionName } from './inbound-shapes.js';
import { instant, reason, sent } from './shapes.js';

/**
 * Answers of owners to the eviction that is coming. `ready`: evict it now. `checkpointed`: its work is saved. `extend`: evict it later
 * (docs/how-to/checkpoint-handshake.md).
 */
export const ownerAnswers = ['ready', 'checkpointed', 'extend'] as const;
export type OwnerAnswerKind = (typeof ownerAnswers)[number];

const answered = {
  partition: z.string(),
  allocation: z.string(),
  answer: z.enum(ownerAnswers),
  /** The owner's own id of the answer: sent again, it counts once. */
  id: z.string(),
  ...sent,
};

/** An answer counts from now on. */
export const ownerAnswered = z.object({
  ...answered,
  /** Of the allocation. */
  queue: z.string(),
  uid: z.string().optional(),
  application: z.string(),
  answeredAt: instant,
  /** Of `ready` and `extend`: the run that it is for. */
  enforcement: z.string().optional(),
  /** Of `extend`: by how long. */
  seconds: z.number().int().min(1).optional(),
  /** Of `extend`: its eviction is not requested before. Absent: the run was not open yet, and `seconds` count from its opening. */
  until: instant.optional(),
  /** Of `checkpointed`: what was done before is not lost. */
  checkpointedAt: instant.optional(),
});

/** An answer that was sent as a message changes nothing; over HTTP the sender gets the reason at once. */
export const ownerAnswerRefused = z.object({ ...answered, ...reason, uid: z.string().optional() });

/** An owner's answer, sent as a message. OwnerAnswered or OwnerAnswerRefused with the same `id` is the result. */
export const ownerAnswerSent = z.object({
  partition: partitionName,
  allocation: id,
  /** The incarnation; absent: the one that runs. */
  uid: id.optional(),
  answer: z.enum(ownerAnswers),
  /** Of `checkpointed`: when the checkpoint was complete; absent: when the message is handled. */
  at: moment.optional(),
  id,
  /** Recorded with the answer. */
  by: z.string().trim().min(1).max(inboundLimits.idCharacters),
});
