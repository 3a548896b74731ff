import { z } from 'zod';
import { policyChange, valueChange } from './configuration.js';
import { amounts, count, pageOf, time } from './shapes.js';
import { victimGroup } from './what-if.js';

/** What a mark in the plot of a queue stands for. */
export const markKinds = ['quota', 'clock', 'run', 'stop', 'setting'] as const;

export const historyMark = z
  .object({
    position: z.string().describe('Of the event in the log.'),
    at: time,
    event: z.string().describe('The name of the catalog.'),
    kind: z.enum(markKinds),
    sentence: z.string(),
    by: z
      .string()
      .nullable()
      .describe('The person who caused it; null: no person did, or the name is not known.'),
    enforcement: z.string().nullable().describe('The run that it belongs to.'),
    configuration: count.nullable().describe('The version of the configuration that it belongs to.'),
    count: z
      .number()
      .int()
      .min(1)
      .describe(
        'The number of events that the mark stands for: of older events, only the last of each period is shown.',
      ),
  })
  .meta({ id: 'HistoryMark' });
export type HistoryMark = z.infer<typeof historyMark>;

/** The history of one queue, for a plot: as the log has it, coarser with age. */
export const queueHistory = z
  .object({
    partition: z.string(),
    queue: z.string(),
    since: time.describe('Everything below is as of this time or later.'),
    at: time.describe('The moment of the answer, by the clock of the database.'),
    quotas: z
      .array(z.object({ at: time, max: amounts.nullable(), delaySeconds: z.number() }))
      .describe('Each quota from its time on, the oldest first; null: no limit.'),
    usage: z
      .array(z.object({ at: time, amounts }))
      .describe(
        'The usage at the moments at which the log states it: of each plan, after evictions, and where a queue was found above its quota; at last that of now. The oldest first.',
      ),
    marks: z.array(historyMark).describe('The latest first, 2000 at most.'),
    isWhole: z
      .boolean()
      .describe('false: there are more marks in this time than are shown; ask for a shorter one.'),
  })
  .meta({ id: 'QueueHistory' });
export type QueueHistory = z.infer<typeof queueHistory>;

/** The version of a configuration in a path. */
export const versionNumber = z.coerce
  .number({ error: 'is not a version: write a whole number such as 17' })
  .int()
  .min(1)
  .max(999_999_999);

const direction = z
  .enum(['raise', 'lower', 'depends'])
  .describe(
    '`depends`: a share of the cluster on one side and amounts on the other; the size of the cluster decides.',
  );
const share = z
  .string()
  .optional()
  .describe('The share of the cluster in place of an amount, such as `25 %`.');

const amountChange = z
  .object({
    type: z.string(),
    change: direction,
    from: count.nullable(),
    to: count.nullable(),
    fromShare: share,
    toShare: share,
  })
  .meta({
    id: 'AmountChange',
    description:
      'In base units. null: the type has no limit, or no guarantee, on that side, unless a share stands in its place.',
  });

const shareChange = z
  .object({
    of: z.enum(['max', 'guaranteed']),
    change: direction,
    from: z.string().nullable(),
    to: z.string().nullable(),
  })
  .meta({
    id: 'ShareChange',
    description: 'Shares of the cluster, such as `25 %`. null: no share; with `depends` amounts.',
  });

const queueDifference = z
  .object({
    path: z.string(),
    change: z.enum(['new', 'removed', 'changed']),
    max: z.array(amountChange),
    guaranteed: z.array(amountChange),
    shares: z.array(shareChange).optional(),
    properties: z.array(valueChange).optional().describe('Properties of the queue for policies.'),
    delay: z
      .object({ from: z.number(), to: z.number() })
      .optional()
      .describe('Effective delays in seconds; absent if unchanged.'),
    clock: z.enum(['starts or restarts', 'cancels', 'none']),
    because: z.string().describe('The reason for the effect on the clock.'),
  })
  .meta({ id: 'QueueDifference' });

/** The changes from the version before: the form of `curtail diff`, of one partition. */
export const configurationChanges = z
  .object({
    switched: z
      .object({ from: z.boolean().nullable(), to: z.boolean() })
      .nullable()
      .describe('The switch of quota enforcement, if it changed; `from` is null in a first version.'),
    policies: z.array(policyChange),
    queues: z
      .array(queueDifference)
      .describe('At most 1000, those of the new version first; the counts of the version are complete.'),
  })
  .meta({ id: 'ConfigurationChanges' });
export type ConfigurationChanges = z.infer<typeof configurationChanges>;

export const configurationVersion = z
  .object({
    partition: z.string(),
    version: count,
    previous: count.nullable().describe('The version it replaced; null if it was the first, or is unknown.'),
    inForce: z.boolean(),
    appliedAt: time,
    by: z.string().nullable().describe('Its sender; null if the sender gave no name.'),
    via: z.enum(['http', 'kafka']).nullable().describe('null: not recorded.'),
    source: z.string().nullable().describe('The CloudEvents source of a submission over Kafka.'),
    submission: z.string().nullable().describe('The id that the sender of a submission over Kafka chose.'),
    rolledBackTo: count.nullable().describe('The version whose text it has again.'),
    onlyQueue: z
      .string()
      .nullable()
      .describe('The queue whose entry alone was sent; the rest of the text is that of the version before.'),
    format: z.string(),
    digest: z.string().describe('sha256 of the text, hex.'),
    added: count.describe('Queues that the version before did not have.'),
    removed: count,
    changed: count.describe('Queues with other settings than in the version before.'),
  })
  .meta({ id: 'ConfigurationVersion' });
export type ConfigurationVersion = z.infer<typeof configurationVersion>;

export const configurationVersionPage = pageOf(configurationVersion, 'ConfigurationVersionPage');

export const configurationVersionDetail = z
  .object({
    ...configurationVersion.shape,
    quotaPreemptionEnabled: z.boolean(),
    body: z.string().describe('The text as it was sent.'),
    changes: configurationChanges.nullable().describe('null: not recorded.'),
  })
  .meta({ id: 'ConfigurationVersionDetail' });
export type ConfigurationVersionDetail = z.infer<typeof configurationVersionDetail>;

export const reportGroups = ['queue', 'user', 'cause', 'rule'] as const;
export type ReportGroup = (typeof reportGroups)[number];

const lost = victimGroup.shape.lost;

export const reportRow = z
  .object({
    name: z.string().describe('The queue, user, policy or rule; empty where it is not known.'),
    victims: count.describe('Evicted allocations.'),
    runs: count.describe('Runs that evicted them.'),
    lost,
    unknown: count.describe('Evicted allocations whose lost work is not known; `lost` leaves them out.'),
  })
  .meta({ id: 'ReportRow' });
export type ReportRow = z.infer<typeof reportRow>;

/** Evictions of a period and the work lost with them. */
export const reportView = z
  .object({
    partition: z.string().nullable().describe('null: all partitions'),
    since: time,
    until: time,
    by: z.enum(reportGroups),
    total: reportRow.omit({ name: true }),
    items: z.array(reportRow).describe('The most victims first.'),
    more: count.describe('Groups that are not listed.'),
  })
  .meta({ id: 'Report' });
export type ReportView = z.infer<typeof reportView>;
