import { z } from 'zod';
import { id, inboundLimits } from './inbound-shapes.js';
import { instant, resources } from './shapes.js';

/**
 * Curtail requests the eviction of one allocation, of this incarnation only. It may arrive twice: the same `evictionId` is one kill,
 * whatever its `attempt`.
 */
export const evictionRequested = z.object({
  partition: z.string(),
  queue: z.string(),
  application: z.string(),
  allocation: z.string(),
  uid: z.string(),
  evictionId: z.string(),
  /** Grows where Curtail does not know the answer to a request. After a refusal the next attempt has another `evictionId`. */
  attempt: z.number().int().min(1),
  /** Grows with every lock of the queue: of two requests for evictions from it, the one with the smaller token is the older. */
  fencingToken: z.number().int().min(1).optional(),
  /** How long the owner has to finish. */
  graceSeconds: z.number().min(0),
  /** Not to be carried out later, by the clock of the database; it is requested again if still needed. */
  deadlineAt: instant,
  /** The same as a duration: how long the request is valid from its creation. It needs no synchronized clocks. */
  validSeconds: z.number().positive().optional(),
  /** One sentence for the owner of the work. */
  reason: z.string(),
  /** The moment of the snapshot that the plan was made from. A platform that knows of later changes may refuse. */
  takenAt: instant.optional(),
  /** The quota that the run enforces, as it was last judged. Absent: the run enforces none, or the queue has none. */
  quota: z.object({ queue: z.string(), max: resources }).optional(),
  /** What has to remain in use: the guaranteed amounts of the queue and of those above it, from the root on. Absent: there are none. */
  floors: z.array(z.object({ queue: z.string(), guaranteed: resources })).optional(),
});

/**
 * Curtail notifies the owner of an allocation, through the platform, of its upcoming eviction, so that its work can be saved or the
 * allocation released. It may arrive twice for the same incarnation. It needs no answer.
 */
export const evictionAnnounced = z.object({
  partition: z.string(),
  queue: z.string(),
  application: z.string(),
  allocation: z.string(),
  uid: z.string(),
  /** Earliest time; later only if it is still needed then. If so, EvictionRequested follows. */
  killAt: instant,
  /** One sentence for the owner of the work. */
  reason: z.string(),
});

const request = { evictionId: id, attempt: z.number().int().min(1) };

/** The platform's answer to a request: `evictionId` and `attempt` are copied from it. */
export const evictionAnswered = z.discriminatedUnion(
  'answer',
  [
    /** It is leaving; AllocationReleased follows when it has gone. `repeated`: it was already leaving. */
    z.object({ ...request, answer: z.literal('accepted'), repeated: z.boolean().optional() }),
    z.object({ ...request, answer: z.literal('gone') }),
    /** The id belongs to another incarnation, which was not evicted. */
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
