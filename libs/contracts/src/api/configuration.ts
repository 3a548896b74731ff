import { z } from 'zod';
import { configurationFormats } from '../events/configuration-formats.js';
import { quotaValues } from '../events/shapes.js';
import type { Subject } from '../subject.js';
import { amounts, count, nodeLabels, subjectView, time } from './shapes.js';

export const quotaValuesView = quotaValues.meta({ id: 'QuotaValues' });

export const clockEffect = z.enum(['starts or restarts', 'cancels', 'none']).meta({ id: 'ClockEffect' });
export type ClockEffect = z.infer<typeof clockEffect>;

/** A setting or property before and after; absent where it is not set. */
export const valueChange = z
  .object({ name: z.string(), from: z.unknown().optional(), to: z.unknown().optional() })
  .meta({ id: 'ValueChange' });
export type ValueChange = z.infer<typeof valueChange>;

/** The effect of a configuration on a policy of a partition. */
export const policyChange = z
  .object({
    policy: z.string(),
    change: z.enum(['starts', 'ends', 'settings']),
    settings: z.array(valueChange).describe('Changed settings of a policy that ran before and continues.'),
  })
  .meta({ id: 'PolicyChange' });
export type PolicyChange = z.infer<typeof policyChange>;

/** A place in the input: line and column count from 1; both are absent where the input had no text. */
const place = {
  line: count.optional(),
  column: count.optional(),
  file: z.string().optional().describe('The file of a configuration in several files; absent for the first.'),
};

export type Place = z.infer<z.ZodObject<typeof place>>;

export const configurationError = z
  .object({
    ...place,
    path: z
      .string()
      .describe('The field, such as `partitions[0].queues[1].resources`; empty for the whole document.'),
    message: z.string().describe('What is wrong, and what would be right.'),
  })
  .meta({ id: 'ConfigurationError' });
export type ConfigurationError = z.infer<typeof configurationError>;

export const warningCode = z.enum([
  'delay-bare-number',
  'delay-unusual',
  'unknown-resource-type',
  'unknown-key',
  'without-effect',
  'node-labels',
  'other-scheduler',
  'preemption-by-default',
  'cluster-size-unknown',
  'enforcement-ends',
  'nothing-enforced',
  'similar-name',
  'ignored-attribute',
  'guarantee-above-limit',
  'guarantee-incomplete',
  'guaranteed-equals-max',
  'misspelt-property',
  'guaranteed-above-max',
  'aggressive-at-once',
]);
export type WarningCode = z.infer<typeof warningCode>;

export const configurationWarning = z
  .object({
    ...configurationError.shape,
    code: warningCode,
    about: (subjectView as unknown as z.ZodType<Subject>).describe(
      'The queue of the field, else the partition.',
    ),
  })
  .meta({ id: 'ConfigurationWarning' });
export type ConfigurationWarning = z.infer<typeof configurationWarning>;

export const clockPreview = z
  .object({ effect: clockEffect, because: z.string() })
  .meta({ id: 'ClockPreview', description: 'The effect of a save on the clock of a queue, and its reason.' });
export type ClockPreview = z.infer<typeof clockPreview>;

export const changedQueue = z
  .object({
    queue: z.string(),
    event: z.enum(['QuotaChanged', 'QueueRemoved']).meta({ id: 'ChangeEvent' }),
    previous: quotaValuesView,
    current: quotaValuesView.describe('A removed queue counts as one without max.'),
    clock: clockPreview.describe('The effect on its clock, if no run is in progress.'),
  })
  .meta({ id: 'ChangedQueue' });
export type ChangedQueue = z.infer<typeof changedQueue>;

const guaranteedView = z.object({
  guaranteed: amounts.nullable().describe('null: nothing is guaranteed.'),
  guaranteedShare: z
    .string()
    .optional()
    .describe('The guaranteed share of the cluster, such as `1/4`; absent for amounts.'),
});

/** A queue whose guaranteed amounts change. */
export const changedGuaranteed = z
  .object({ queue: z.string(), previous: guaranteedView, current: guaranteedView })
  .meta({
    id: 'ChangedGuaranteed',
    description: 'Guaranteed amounts before and after: plans depend on them, clocks do not.',
  });
export type ChangedGuaranteed = z.infer<typeof changedGuaranteed>;

/** A run in progress in a queue that a save concerns. */
export const runningRun = z
  .object({
    queue: z.string(),
    enforcement: z.string(),
    evicting: z
      .boolean()
      .describe(
        'It has ordered an eviction, and continues with the quota that it began with until it is cancelled. Otherwise the quota in force decides what it evicts, and it ends if the enforcement of quotas is switched off.',
      ),
    evicted: count,
  })
  .meta({ id: 'RunningRun' });
export type RunningRun = z.infer<typeof runningRun>;

export const applied = z
  .object({
    partition: z.string(),
    digest: z.string(),
    version: count.describe('Version of the configuration in force, as in the last event of its change.'),
    quotaPreemptionEnabled: z.boolean(),
    nodeLabels,
    previousQuotaPreemptionEnabled: z
      .boolean()
      .nullable()
      .describe('The switch before; null before the first configuration.'),
    policyChanges: z.array(policyChange),
    appliedAt: time.describe('When the configuration came into force.'),
    queues: count,
    changed: z
      .array(changedQueue)
      .describe('Queues whose max or effective delay changed, or which were removed.'),
    guaranteedChanged: z
      .array(changedGuaranteed)
      .describe('Queues whose guaranteed amounts changed; not those that were removed.'),
    propertiesChanged: z.array(z.string()).describe('Queues whose properties for policies changed.'),
    running: z
      .array(runningRun)
      .describe(
        'Runs in progress in changed queues, or in the whole partition where its switch was turned off.',
      ),
    warnings: z.array(configurationWarning),
  })
  .meta({ id: 'Applied' });
export type Applied = z.infer<typeof applied>;

export const queueConfiguration = z
  .object({
    partition: z.string(),
    queue: z.string(),
    body: z.string().describe('The entry of the queue, with everything below it, as it is written.'),
    version: count.describe('The version of the whole configuration.'),
    appliedAt: time,
  })
  .meta({ id: 'QueueConfiguration' });
export type QueueConfiguration = z.infer<typeof queueConfiguration>;

export const configurationInForce = z
  .object({
    partition: z.string(),
    digest: z.string().describe('sha256 of the text, hex.'),
    format: z.enum(configurationFormats),
    body: z.string().describe('The text as it was sent.'),
    quotaPreemptionEnabled: z.boolean(),
    policies: z.record(z.string(), z.record(z.string(), z.unknown())),
    appliedAt: time,
    version: count,
  })
  .meta({ id: 'ConfigurationInForce' });
