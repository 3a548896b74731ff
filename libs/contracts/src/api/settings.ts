import { z } from 'zod';
import { InputError } from '../input-error.js';
import {
  foresightValues,
  mostTurns,
  propertyOf,
  type QueueSetting,
  queueSettings,
  rangesOfSettings,
  readQueueSetting,
} from '../planning/queue-settings.js';
import { maxProtectedNames, victimsKeptDays } from '../planning/shared-settings.js';
import { count, time } from './shapes.js';

/** 31 days. */
const longestSeconds = 31 * 86_400;
const whole = ({ min, max }: { min: number; max: number }) => z.number().int().min(min).max(max);
const names = z.array(z.string().max(1000)).max(maxProtectedNames).optional();

/** The message of a configuration with the same fault: of a union, zod knows only that no member fits. */
const asInConfigurations = (name: QueueSetting) => ({
  error: ({ input }: { input?: unknown }): string | undefined => {
    try {
      readQueueSetting(name, input, name);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return error.path === name ? error.message : error.sentence;
    }
    return undefined;
  },
});

const protection = z
  .union(
    [
      z.boolean(),
      z.strictObject({
        applications: names,
        users: names,
        allocations: names,
        priorityAtLeast: z.number().optional(),
      }),
    ],
    asInConfigurations('protect'),
  )
  .meta({
    id: 'Protection',
    description: 'true: all work of the queue and below; false: nothing; else what matches one entry.',
  });

const flapping = z
  .union(
    [
      z.literal(false),
      z.strictObject({
        turns: z.number().int().min(1).max(mostTurns),
        windowSeconds: z.number().int().min(1).max(longestSeconds),
        stableSeconds: z.number().int().min(0).max(longestSeconds).optional(),
      }),
    ],
    asInConfigurations('flapping'),
  )
  .meta({
    id: 'Flapping',
    description:
      'A clock waits while the max of its queue has turned up or down more than `turns` times in `windowSeconds`; false: never.',
  });

const ownerBudgets = z
  .array(
    z.strictObject({
      per: z.enum(['user', 'application', 'queue']).describe('Whose victims are counted.'),
      victims: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).describe('The maximum.'),
      seconds: z
        .number()
        .int()
        .min(0)
        .max(victimsKeptDays * 86_400)
        .describe('The window; 0: the victims of one plan.'),
    }),
  )
  .max(1000)
  .meta({
    id: 'OwnerBudgets',
    description:
      'How many victims one owner has at most within a time, over all runs of the partition. Each entry holds by itself; none: no budget.',
  });

/** null: the setting of the configuration applies again. */
const values = {
  miss: whole({ min: 0, max: 100 }).describe('Percent of the target that may stay above the quota.'),
  fit: z.enum(['cover', 'within']).describe('Whether victims may free more than the target.'),
  guaranteedTypes: z
    .enum(['all', 'lowered'])
    .describe(
      'Which guaranteed amounts keep work: those of all types that it uses, or only of types that have to be freed.',
    ),
  ageFrom: z
    .enum(['start', 'checkpoint'])
    .describe('Whether victims are ordered by their start or by their last checkpoint.'),
  disruptionBudgets: z
    .enum(['respect', 'last', 'ignore'])
    .describe(
      'Whether plans exceed disruption budgets: never, where nothing else is left, or without asking.',
    ),
  ownerBudgets,
  gangs: z
    .enum(['whole', 'spare', 'ignore'])
    .describe(
      'Whether a gang is evicted as a whole, never taken below its minimum, or treated like other work.',
    ),
  protect: protection,
  approveAboveVictims: whole(rangesOfSettings.approveAboveVictims).describe(
    'A plan with more victims waits for approval.',
  ),
  approveAbovePercent: whole(rangesOfSettings.approveAbovePercent).describe(
    'Percent of the queue: a plan that takes more waits for approval.',
  ),
  victimsPerSecond: whole(rangesOfSettings.victimsPerSecond).describe('The rate of a run.'),
  graceSeconds: whole(rangesOfSettings.graceSeconds).describe('The grace period of an allocation.'),
  flapping,
  ceilingPerHour: whole(rangesOfSettings.ceilingPerHour).describe(
    'Only for `root`: victims of all runs of the partition within an hour; a run that would exceed it waits for approval.',
  ),
  ceilingPerConfiguration: whole(rangesOfSettings.ceilingPerConfiguration).describe(
    'Only for `root`: victims of all runs that one version of the configuration causes; a run that would exceed it waits for approval.',
  ),
  ceilingClusterPercent: whole(rangesOfSettings.ceilingClusterPercent).describe(
    'Only for `root`: resources of the victims within an hour, in percent of the cluster, in any type; a run that would exceed it waits for approval.',
  ),
  partitionVictimsPerSecond: whole(rangesOfSettings.partitionVictimsPerSecond).describe(
    'Only for `root`: the rate of all runs of the partition together.',
  ),
  extensions: whole(rangesOfSettings.extensions).describe(
    'Maximum number of extensions that the owner of a victim gets in a run; 0: none.',
  ),
  extensionSeconds: whole(rangesOfSettings.extensionSeconds).describe(
    'The length of an extension, in seconds.',
  ),
  foresight: z
    .enum(foresightValues)
    .describe('Whether owners are notified of what the next run of the queue would evict.'),
};

const orNull = <S extends z.ZodType>(value: S) => value.nullable().optional();

/** The settings that a request changes. */
export const settingChanges = z
  .strictObject({
    miss: orNull(values.miss),
    fit: orNull(values.fit),
    guaranteedTypes: orNull(values.guaranteedTypes),
    ageFrom: orNull(values.ageFrom),
    disruptionBudgets: orNull(values.disruptionBudgets),
    ownerBudgets: orNull(values.ownerBudgets),
    gangs: orNull(values.gangs),
    protect: orNull(values.protect),
    approveAboveVictims: orNull(values.approveAboveVictims),
    approveAbovePercent: orNull(values.approveAbovePercent),
    victimsPerSecond: orNull(values.victimsPerSecond),
    graceSeconds: orNull(values.graceSeconds),
    flapping: orNull(values.flapping),
    ceilingPerHour: orNull(values.ceilingPerHour),
    ceilingPerConfiguration: orNull(values.ceilingPerConfiguration),
    ceilingClusterPercent: orNull(values.ceilingClusterPercent),
    partitionVictimsPerSecond: orNull(values.partitionVictimsPerSecond),
    extensions: orNull(values.extensions),
    extensionSeconds: orNull(values.extensionSeconds),
    foresight: orNull(values.foresight),
  })
  .refine((changes) => Object.values(changes).some((value) => value !== undefined), {
    message: `name at least one of ${queueSettings.join(', ')}`,
    when: ({ issues }) => issues.length === 0,
  })
  .meta({ id: 'SettingChanges', description: 'null: the setting of the configuration applies again.' });
export type SettingChanges = z.infer<typeof settingChanges>;

const name = z
  .enum(queueSettings as [string, ...string[]])
  .meta({ id: 'SettingName', description: 'The name of the setting.' });
const value = z
  .unknown()
  .describe('The value as it was set: a number, a string, a list, or the protected work.');
const setBy = {
  by: z.string().describe('The user who set it.'),
  reason: z.string().optional(),
  at: time,
};

export const settingView = z
  .object({
    setting: name,
    value,
    from: z
      .enum(['default', 'environment', 'configuration', 'override'])
      .describe(
        `default: the built-in value. environment: a value set for the installation. configuration: the property \`${propertyOf('miss')}\` (and so on) of \`queue\`. override: set through this API for \`queue\`.`,
      ),
    queue: z.string().optional().describe('Where it is set: the queue itself, or one above.'),
    by: setBy.by.optional(),
    reason: setBy.reason,
    at: setBy.at.optional(),
  })
  .meta({ id: 'Setting' });
export type SettingView = z.infer<typeof settingView>;

export const settingOverride = z
  .object({
    queue: z.string(),
    setting: name,
    value,
    ...setBy,
    configured: z
      .boolean()
      .describe('Whether the configuration in force has the queue; if not, the override has no effect.'),
  })
  .meta({ id: 'SettingOverride' });
export type SettingOverrideView = z.infer<typeof settingOverride>;

export const settingsView = z
  .object({
    partition: z.string(),
    queue: z.string().describe('`root`: the partition.'),
    version: count.describe(
      'Version of the overrides of the partition, which is also the ETag; 0 if there were none yet.',
    ),
    settings: z
      .array(settingView)
      .describe(
        'Every setting in force for the queue. `protect` has an entry for each queue that protects work; they add up.',
      ),
    overrides: z.array(settingOverride).describe('All overrides of the partition, by queue and setting.'),
  })
  .meta({ id: 'Settings' });
export type SettingsView = z.infer<typeof settingsView>;
