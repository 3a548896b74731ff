import { z } from 'zod';
import { amounts, count, pageOf, time } from './shapes.js';

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

export const stopView = z
  .object({
    partition: z.string(),
    queue: stoppedQueue,
    reason: z.string().nullable(),
    by: z.string(),
    since: time,
  })
  .meta({ id: 'Stop' });
export type StopView = z.infer<typeof stopView>;
export const stopList = z.object({ items: z.array(stopView) }).meta({ id: 'StopList' });
export type StopList = z.infer<typeof stopList>;

const mode = z.enum(['observe', 'enforce']);

export const modeSet = z.object({ partition: z.string(), mode, configured }).meta({ id: 'ModeSet' });

const modeIsDefault = z
  .boolean()
  .describe('No mode was set for the partition: it has that of the setting `CURTAIL_MODE`.');

export const modeView = z.object({ partition: z.string(), mode, modeIsDefault }).meta({
  id: 'Mode',
  description: 'observe: plans are made and nothing is evicted; enforce: victims are evicted.',
});

export const runRequested = z
  .object({
    partition: z.string(),
    queue: z.string(),
    atOnce: z.boolean(),
    above: amounts.describe('The usage above the quota.'),
  })
  .meta({ id: 'RunRequested' });
export type RunRequested = z.infer<typeof runRequested>;

export const partitionView = z
  .object({
    partition: z.string(),
    mode: mode.describe('observe: plans are made and nothing is evicted; enforce: victims are evicted.'),
    modeIsDefault,
    quotaPreemptionEnabled: z
      .boolean()
      .nullable()
      .describe('The switch of the configuration in force; null: no configuration is in force.'),
    policies: z
      .array(z.string())
      .describe('Policies with rounds that the configuration in force switches on.'),
    queues: count.describe('Queues of the configuration in force.'),
    version: count.nullable().describe('Of the configuration in force.'),
    appliedAt: time.nullable().describe('When it came into force.'),
    stops: z.array(stopView),
  })
  .meta({ id: 'Partition' });
export type PartitionView = z.infer<typeof partitionView>;
export const partitionPage = pageOf(partitionView, 'PartitionPage');
