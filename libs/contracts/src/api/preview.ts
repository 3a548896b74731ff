import { z } from 'zod';
import {
  changedGuaranteed,
  clockPreview,
  configurationWarning,
  policyChange,
  quotaValuesView,
  runningRun,
} from './configuration.js';
import { plan } from './plans.js';
import { count, nodeLabels, rejectedChange, startsAt, time, waitingView } from './shapes.js';

/** Something that holds a run back when its clock is due. */
export const wait = z
  .object({
    for: z
      .enum(['switch', 'stop', 'freeze', 'flapping', 'ancestor', 'mode', 'approval'])
      .describe(
        '`switch`, `mode`: the switch or the mode of the partition. `ancestor`: the run of the queue above has to end first.',
      ),
    queue: z
      .string()
      .optional()
      .describe(
        'The queue of the stop or the freeze, absent where it covers the partition; or the queue of that run.',
      ),
    because: z.string(),
  })
  .meta({ id: 'Wait' });
export type Wait = z.infer<typeof wait>;

const run = {
  order: z.number().int().min(1).describe('Its place among the runs, in the order in which they start.'),
  dueAt: time.nullable().describe('When its delay is over; null while a stop holds the clock.'),
  startsAt,
  waitsFor: z.array(wait),
  plan: plan.optional().describe('The plan at its start, if the work stayed as it is now.'),
  planFault: z.string().optional().describe('Why there is no plan: the run would fail with this.'),
  held: z.array(z.string()).describe('Victims of the plan that a stop of their queue spares.'),
};
/** The run that a pending clock leads to. */
export const runPreview = z.object(run).meta({ id: 'RunPreview' });
export type RunPreview = z.infer<typeof runPreview>;

/** The run that a queue would have now, or that its pending clock leads to. */
export const queueRunPreview = z
  .object({
    partition: z.string(),
    queue: z.string(),
    at: time,
    enforcement: z.string().nullable().describe('The run of its pending clock; null: no clock runs.'),
    running: z.string().nullable().describe('The run in progress; there is no preview beside it.'),
    quotaPreemptionEnabled: z.boolean().describe('The switch of the configuration in force.'),
    delaySeconds: z
      .number()
      .min(0)
      .optional()
      .describe(
        'The delay of the queue in force; 0: its quota is not enforced, and no run of it can be requested.',
      ),
    nodeLabels,
    run: runPreview.nullable(),
    rejected: rejectedChange.optional(),
  })
  .meta({ id: 'QueueRunPreview' });
export type QueueRunPreview = z.infer<typeof queueRunPreview>;

/** A queue whose quota stays, and whose clock is pending already, or follows since what blocked its last run has changed. */
export const pendingPreview = z
  .object({ ...runPreview.partial().shape, queue: z.string(), current: quotaValuesView, clock: clockPreview })
  .meta({ id: 'PendingPreview' });
export type PendingPreview = z.infer<typeof pendingPreview>;

/** A queue whose quota would change; it has the fields of a run where a clock is pending afterwards. */
export const queuePreview = z
  .object({ ...pendingPreview.shape, previous: quotaValuesView })
  .meta({ id: 'QueuePreview' });
export type QueuePreview = z.infer<typeof queuePreview>;

/** The next round of a policy, where a configuration makes it choose more than now. */
export const roundPreview = z
  .object({
    policy: z.string(),
    plan: plan.optional(),
    more: z.array(z.string()).describe('Victims that the configuration in force would not have chosen.'),
    planFault: z.string().optional().describe('Why there is no plan: the round would fail with this.'),
  })
  .meta({ id: 'RoundPreview' });
export type RoundPreview = z.infer<typeof roundPreview>;

export const preview = z
  .object({
    partition: z.string(),
    dryRun: z.literal(true),
    at: time.describe('The moment of the preview, by the clock of the database; due times count from it.'),
    quotaPreemptionEnabled: z.boolean(),
    nodeLabels,
    previousQuotaPreemptionEnabled: z
      .boolean()
      .nullable()
      .describe('The switch in force; null before the first configuration.'),
    policyChanges: z.array(policyChange),
    changed: z.array(queuePreview),
    pending: z
      .array(pendingPreview)
      .describe(
        'Clocks of queues whose quota stays: those that are pending, and those that follow since what blocked the last run of the queue has changed; a thousand at most.',
      ),
    removed: z
      .array(
        z.object({
          queue: z.string(),
          previous: quotaValuesView,
          clock: clockPreview.optional(),
        }),
      )
      .describe('Removed queues count as queues without max.'),
    guaranteedChanged: z
      .array(changedGuaranteed)
      .describe('Queues whose guaranteed amounts would change; not those that would be removed.'),
    propertiesChanged: z.array(z.string()).describe('Queues whose properties for policies would change.'),
    notPlanned: count.describe('Clocks without a plan, because there are so many.'),
    rounds: z
      .array(roundPreview)
      .describe('The next round of each policy that plans in rounds, if it would choose more than now.'),
    running: z
      .array(runningRun)
      .describe(
        'Runs in progress in changed queues, or in the whole partition where its switch would be turned off.',
      ),
    victims: count.describe(
      'Allocations that the change would evict: not those of clocks that are pending already and stay as they are.',
    ),
    ceiling: waitingView
      .nullable()
      .describe(
        'The ceiling of the partition that the runs of the change would exceed together: they wait, and one approval covers the whole change. null: none.',
      ),
    warnings: z.array(configurationWarning),
  })
  .meta({ id: 'Preview' });
export type Preview = z.infer<typeof preview>;
