import { z } from 'zod';
import { count, time } from './shapes.js';

/** The run that a command concerns. */
export const commanded = z
  .object({ enforcement: z.string(), queue: z.string() })
  .meta({ id: 'CommandedRun' });

export const approved = z
  .object({
    ...commanded.shape,
    note: z.string().optional().describe('A sentence if the quota changed since the run was planned.'),
  })
  .meta({ id: 'ApprovedRun' });

export const cancelled = z
  .object({ ...commanded.shape, was: z.string().describe('The state of the run before.') })
  .meta({ id: 'CancelledRun' });

const configured = z
  .boolean()
  .describe('Whether the configuration in force has it. The command holds in any case.');
const stoppedQueue = z.string().nullable().describe('null: the whole partition');

export const stopSet = z
  .object({ partition: z.string(), queue: stoppedQueue, stopped: z.literal(true), configured })
  .meta({ id: 'StopSet' });

export const stopCleared = z
  .object({ partition: z.string(), queue: stoppedQueue, cleared: count.describe('Stops that were cleared.') })
  .meta({ id: 'StopCleared' });

export const stopList = z
  .object({
    items: z.array(
      z
        .object({
          partition: z.string(),
          queue: stoppedQueue,
          reason: z.string().nullable(),
          by: z.string(),
          since: time,
        })
        .meta({ id: 'Stop' }),
    ),
  })
  .meta({ id: 'StopList' });

export const modeSet = z
  .object({ partition: z.string(), mode: z.enum(['observe', 'enforce']), configured })
  .meta({ id: 'ModeSet' });
