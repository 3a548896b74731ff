import { z } from 'zod';
import { clockForesight } from './queues.js';
import { amounts, count, nodeLabels, pageOf, rejectedChange, time } from './shapes.js';

/** The run that a command concerns. */
export const commanded = z
  .object({ enforcement: z.string(), queue: z.string() })
  .meta({ id: 'CommandedRun' });

const versionOf = { partition: z.string(), version: count.describe('Version of the configuration.') };

export const changeDecided = z
  .object({
    ...versionOf,
    approved: z.boolean(),
    runs: count.describe('Its runs that have not ended.'),
    until: time.nullable().describe('The end of an approval; null: rejected.'),
  })
  .meta({ id: 'ChangeDecided' });
export type ChangeDecided = z.infer<typeof changeDecided>;

const share = { victims: count, resources: amounts };
/** Groups of an effect that are listed; the others count in its sum. */
export const mostGroups = 100;

export const changeEffect = z
  .object({
    ...versionOf,
    decision: z
      .object({
        approved: z.boolean(),
        by: z.string(),
        reason: z.string().nullable(),
        at: time,
        until: time.nullable(),
      })
      .nullable()
      .describe('null: neither approved nor rejected, or the approval has expired.'),
    evicted: count.describe('Victims of its ended runs.'),
    planned: z.object(share).describe('Victims of its runs that have not ended.'),
    runs: z
      .object({ open: count, waiting: count.describe('Runs that wait for approval.') })
      .describe('Its runs that have a plan and have not ended.'),
    queues: z.array(z.object({ queue: z.string(), ...share })).describe('Planned victims by queue.'),
    owners: z
      .array(z.object({ owner: z.string().describe('Empty: unknown.'), ...share }))
      .describe('Planned victims by owner.'),
    clocks: z
      .array(
        z.object({
          queue: z.string(),
          dueAt: time,
          foresight: clockForesight
            .nullable()
            .describe('null: what its run would evict is not planned before it is due.'),
        }),
      )
      .describe('Its clocks whose runs are still to start, the earliest first.'),
    moreClocks: count.describe(`Those beyond the first ${mostGroups}.`),
  })
  .meta({
    id: 'ChangeEffect',
    description: 'What the runs that one version of a configuration causes have evicted and would evict.',
  });
export type ChangeEffect = z.infer<typeof changeEffect>;

export const approved = z
  .object({
    ...commanded.shape,
    note: z.string().optional().describe('A sentence if the quota changed since the run was planned.'),
    change: changeDecided
      .optional()
      .describe('The run waited for a ceiling: all runs of its configuration are approved with it.'),
  })
  .meta({ id: 'ApprovedRun' });

export const cancelled = z
  .object({ ...commanded.shape, was: z.string().describe('The state of the run before.') })
  .meta({ id: 'CancelledRun' });

const configured = z
  .boolean()
  .describe('Whether the configuration in force has the queue. The command has taken effect either way.');
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
export const stopList = z.object({ items: z.array(stopView) }).meta({ id: 'StopList' });
export type StopList = z.infer<typeof stopList>;

const recurs = z
  .object({ start: z.string(), timeZone: z.string(), duration: z.string(), rule: z.string() })
  .describe('First start as a local time of the zone, duration of ISO 8601, rule of RFC 5545.');

export const freezeView = z
  .object({
    freeze: z.string(),
    partition: z.string(),
    queue: z.string().nullable().describe('The queue and all below it; null: the whole partition.'),
    inEffect: z.boolean(),
    from: time
      .nullable()
      .describe('Start of the window in effect, else of the next one; null if there is none.'),
    until: time.nullable().describe('The end of that window.'),
    recurs: recurs.nullable().describe('null: once'),
    source: z
      .enum(['operator', 'configuration'])
      .describe('configuration: the configuration in force sets it, in the properties of the queue.'),
    by: z.string().describe('The user who set it, or who sent the configuration.'),
    reason: z.string().nullable(),
    since: time.describe('When it was set.'),
  })
  .meta({ id: 'Freeze' });
export type FreezeView = z.infer<typeof freezeView>;
export const freezeList = z.object({ items: z.array(freezeView) }).meta({ id: 'FreezeList' });
export const freezeSetAnswer = z.object({ ...freezeView.shape, configured }).meta({ id: 'FreezeSet' });
export const freezesCleared = z
  .object({
    partition: z.string(),
    cleared: z.array(z.string()).describe('The ids of the freezes that were cleared.'),
    kept: z
      .array(z.string())
      .describe('The ids of those that the configuration sets: they end with another configuration.'),
  })
  .meta({ id: 'FreezesCleared' });

/** Answers name it: without an id a generated class for it would take the name of `Mode`. */
export const modeName = z.enum(['observe', 'enforce']).meta({ id: 'ModeName' });

export const modeSet = z
  .object({ partition: z.string(), mode: modeName, configured })
  .meta({ id: 'ModeSet' });

const modeIsDefault = z
  .boolean()
  .describe('No mode was set for the partition: it has that of the setting `CURTAIL_DEFAULT_MODE`.');
const limited = z
  .object({
    by: z.array(z.string()).describe('The services with this setting: planner, executor.'),
    set: modeName
      .nullable()
      .describe('The mode that was set for the partition, which does not count; null: none.'),
  })
  .describe(
    'The setting `CURTAIL_MODE=observe` of services overrides the mode of the partition: nothing is evicted. Absent: no setting does.',
  )
  .optional();

export const modeView = z.object({ partition: z.string(), mode: modeName, modeIsDefault, limited }).meta({
  id: 'Mode',
  description: 'observe: plans are made and nothing is evicted; enforce: victims are evicted.',
});

export const runRequested = z
  .object({
    partition: z.string(),
    queue: z.string(),
    atOnce: z.boolean(),
    above: amounts.describe('The usage above the quota.'),
    rejected: rejectedChange.optional(),
  })
  .meta({ id: 'RunRequested' });

export const partitionView = z
  .object({
    partition: z.string(),
    mode: modeName.describe('observe: plans are made and nothing is evicted; enforce: victims are evicted.'),
    modeIsDefault,
    limited,
    quotaPreemptionEnabled: z
      .boolean()
      .nullable()
      .describe('The switch of the configuration in force; null: no configuration is in force.'),
    nodeLabels,
    policies: z
      .array(z.string())
      .describe('Policies with rounds that the configuration in force switches on.'),
    queues: count.describe('Queues of the configuration in force.'),
    version: count.nullable().describe('Version of the configuration in force.'),
    appliedAt: time.nullable().describe('When the configuration came into force.'),
    stops: z.array(stopView),
  })
  .meta({ id: 'Partition' });
export type PartitionView = z.infer<typeof partitionView>;
export const partitionPage = pageOf(partitionView, 'PartitionPage');
