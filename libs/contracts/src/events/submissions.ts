import { z } from 'zod';
import { configurationFormats, configurationLimits } from './configuration-formats.js';
import { id, inboundLimits, partitionName, queuePath } from './inbound-shapes.js';

/**
 * A complete configuration for one partition, as in `PUT /v1/partitions/{p}/config`. ConfigApplied or ConfigRefused with the same
 * `submission` gives the result.
 */
export const configSubmitted = z.object({
  partition: partitionName,
  /** The sender's own id, with which it finds the answer. */
  submission: id,
  /** Who sends it: recorded with the configuration. */
  by: z.string().trim().min(1).max(200).optional(),
  /**
   * The only queue that the submission is for, with everything below it: `configuration` is its entry in the queues.yaml in force, whose
   * rest stays as it is. Absent: the whole configuration.
   */
  queue: queuePath.optional(),
  /** Absent: detected from the configuration. */
  format: z.enum(configurationFormats).optional(),
  /** As text, or as JSON of the same shape: an object, or a list as EMR has it. */
  configuration: z.union(
    [
      z.string().min(1).max(configurationLimits.messageCharacters),
      z.record(z.string(), z.unknown()),
      z.array(z.unknown()).min(1),
    ],
    'give the configuration as text that is not empty, or as a JSON object or list of the same shape',
  ),
  /**
   * The version of the configuration that this one replaces, as ConfigApplied and `GET …/config` have it; 0: none yet. If another one is
   * in force, the submission is refused. Absent: whichever is in force.
   */
  ifVersion: z.number().int().min(0).optional(),
  /** Whether keys of queues.yaml that Curtail does not know are warnings, not errors; absent: errors. */
  allowUnknown: z.boolean().optional(),
  /**
   * Curtail's switch for the partition. Absent: that of the configuration. A scheduler that enforces quotas itself, controlled by the
   * switch in its configuration, must have it off while Curtail enforces them.
   */
  quotaPreemptionEnabled: z.boolean().optional(),
  /** Findings of the sender, such as the scheduler's view of it: recorded with the configuration. */
  senderNotices: z
    .array(
      z.object({
        code: z.string().regex(/^[a-z0-9-]{1,64}$/, 'a code has 1 to 64 of a-z, 0-9 and -'),
        message: z.string().min(1).max(inboundLimits.messageCharacters),
        /** The queue that it is about; absent: the partition. */
        queue: queuePath.optional(),
        /** Whether a person has to act: the status has it as long as the configuration is in force. */
        needsAttention: z.boolean().optional(),
      }),
    )
    .max(100)
    .optional(),
});
