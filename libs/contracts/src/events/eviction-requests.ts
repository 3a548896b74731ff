import { z } from 'zod';
import { id, inboundLimits } from './inbound-shapes.js';
import { instant } from './shapes.js';

/**
 * Curtail asks the platform to evict one allocation, of this incarnation only. It may come twice: the same `evictionId` is
 * one kill, whatever its `attempt`.
 */
export const evictionRequested = z.object({
  partition: z.string(),
  queue: z.string(),
  application: z.string(),
  allocation: z.string(),
  uid: z.string(),
  evictionId: z.string(),
  /** Grows when there was no answer in time, or a refusal that may pass. */
  attempt: z.number().int().min(1),
  /** Grows with every lock of the queue: of two requests for evictions from it, the one with the smaller token is the older. */
  fencingToken: z.number().int().min(1).optional(),
  /** How long the owner has to finish. */
  graceSeconds: z.number().min(0),
  /** Not to be carried out later than this, by the clock of the database; it is asked again if it is still wanted. */
  deadlineAt: instant,
  /** The same as a span: how long the request is valid from when it was made. It needs no clock that agrees with another one. */
  validSeconds: z.number().positive().optional(),
  /** One sentence that the owner of the work can be told. */
  reason: z.string(),
});

/**
 * Curtail tells the owner of an allocation, through the platform, that it will be evicted: its work can be saved, or the
 * allocation let go. It may come twice for the same incarnation. There is nothing to answer.
 */
export const evictionAnnounced = z.object({
  partition: z.string(),
  queue: z.string(),
  application: z.string(),
  allocation: z.string(),
  uid: z.string(),
  /** Not before; later only if it is still to go by then. If it is, EvictionRequested follows. */
  killAt: instant,
  /** One sentence that the owner of the work can be told. */
  reason: z.string(),
});

const request = { evictionId: id, attempt: z.number().int().min(1) };

/** What the platform says to a request: `evictionId` and `attempt` are copied from it. */
export const evictionAnswered = z.discriminatedUnion(
  'answer',
  [
    /** It is on its way out; AllocationReleased follows when it has gone. `repeated`: it was leaving already. */
    z.object({ ...request, answer: z.literal('accepted'), repeated: z.boolean().optional() }),
    z.object({ ...request, answer: z.literal('gone') }),
    /** Another incarnation stands under the id, and was left alone. */
    z.object({ ...request, answer: z.literal('other-incarnation'), uid: id }),
    z.object({
      ...request,
      answer: z.literal('refused'),
      /** Whether it may be accepted later. */
      retryable: z.boolean(),
      code: z.string().min(1).max(64),
      message: z.string().max(inboundLimits.messageCharacters),
      retryAfterMs: z.number().int().min(0).max(86_400_000).optional(),
    }),
  ],
  "an answer is 'accepted', 'gone', 'other-incarnation' or 'refused'",
);
