import { z } from 'zod';
import { taskAnswer } from './replays.js';
import { amounts, count } from './shapes.js';

export const applicationWork = z
  .object({
    application: z.string(),
    queue: z.string(),
    user: z.string().nullable(),
    priority: z.number(),
    weight: z
      .number()
      .nullable()
      .describe('Its weight among the operations of its pool; null if fair-share was given none.'),
    running: count,
    leaving: count,
    waiting: count,
    usage: amounts,
  })
  .meta({ id: 'ApplicationWork' });
export type ApplicationWork = z.infer<typeof applicationWork>;
export const applicationWorkList = z
  .object({ items: z.array(applicationWork) })
  .meta({ id: 'ApplicationWorkList' });

/** The work in the simulated cluster. */
export const workCounts = z
  .object({
    nodes: count,
    queues: count.describe('Queues with applications.'),
    applications: count,
    allocations: count,
    leaving: count.describe('Allocations that are releasing or preempting.'),
  })
  .meta({ id: 'WorkCounts' });
export type WorkCounts = z.infer<typeof workCounts>;

export const queueWork = z
  .object({ queue: z.string(), allocations: count, usage: amounts })
  .meta({ id: 'QueueWork' });
export type QueueWork = z.infer<typeof queueWork>;
export const queueWorkList = z.object({ items: z.array(queueWork) }).meta({ id: 'QueueWorkList' });

export const clearedWork = z.object({ applications: count, allocations: count }).meta({ id: 'ClearedWork' });
export type ClearedWork = z.infer<typeof clearedWork>;

export const placedScenario = z
  .object({ partition: z.string(), nodes: count, applications: count, allocations: count })
  .meta({ id: 'PlacedScenario' });
export type PlacedScenario = z.infer<typeof placedScenario>;

export const loadedWork = z
  .object({
    partition: z.string(),
    under: z.string(),
    queues: count,
    applications: count,
    allocations: count,
    nodes: count,
  })
  .meta({ id: 'LoadedWork' });
export type LoadedWork = z.infer<typeof loadedWork>;
export const loadAnswer = taskAnswer(loadedWork, 'Load');
