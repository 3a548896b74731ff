import { z } from 'zod';
import { configurationFormats } from './configuration-formats.js';
import { actor, notice, quotaValues, resources } from './shapes.js';

const policySettings = z.record(z.string(), z.unknown());

/** One queue of a configuration in force. */
export const configuredQueue = z.object({
  path: z.string(),
  max: resources.nullable(),
  guaranteed: resources.nullable(),
  /** Effective delay in milliseconds, 0 = off. */
  delayMs: z.number().int().min(0),
  parent: z.boolean(),
  /** Amounts that follow the size of the cluster, in place of max or guaranteed: fractions of it, such as `1/4`. */
  clusterShare: z.object({ guaranteed: z.string().optional(), max: z.string().optional() }).optional(),
  /** Properties of the queue for policies: `queues[].properties` of a snapshot. */
  properties: z.record(z.string(), z.unknown()).optional(),
});
export type ConfiguredQueue = z.infer<typeof configuredQueue>;

export const configApplied = z.object({
  partition: z.string(),
  /** sha256 of the submitted text, hex. */
  digest: z.string(),
  format: z.enum(configurationFormats),
  quotaPreemptionEnabled: z.boolean(),
  /** The switch before; null before the first configuration. */
  previousQuotaPreemptionEnabled: z.boolean().nullable(),
  /** The policies that run in the partition from now on, with their settings. */
  policies: z.record(z.string(), policySettings).optional(),
  queues: z.number().int().min(0),
  changed: z.number().int().min(0),
  /** `path`: the field of the configuration. */
  notices: z.array(notice.extend({ path: z.string().optional() })),
  /** The sender's id, if it arrived as ConfigSubmitted. */
  submission: z.string().optional(),
  /** The sender's name, if it gave one. */
  by: z.string().optional(),
  actor: actor.optional(),
  via: z.enum(['http', 'kafka']).optional(),
  /** The version whose text is in force again. */
  rolledBackTo: z.number().int().min(1).optional(),
  /** The queue whose entry alone was sent; the rest is as in the version before. */
  onlyQueue: z.string().optional(),
});

export const configRefused = z.object({
  partition: z.string(),
  digest: z.string(),
  errors: z.array(
    z.object({
      path: z.string(),
      message: z.string(),
      line: z.number().optional(),
      column: z.number().optional(),
    }),
  ),
  /** The sender's id, if it arrived as ConfigSubmitted. */
  submission: z.string().optional(),
});

/** Appended for each queue whose max or effective delay changed. */
export const quotaChanged = z.object({
  partition: z.string(),
  queue: z.string(),
  previous: quotaValues,
  current: quotaValues,
});

/** The queue was removed from the configuration: it counts as without max from now on. */
export const queueRemoved = z.object({ partition: z.string(), queue: z.string(), previous: quotaValues });
