import { z } from 'zod';
import { configurationFormats } from '../configuration/format.js';
import { configurationLimits } from '../configuration/limits.js';
import { id, partitionName } from './inbound-shapes.js';

/**
 * A whole configuration for one partition, as `PUT /v1/partitions/{p}/config` takes it. What becomes of it is said by
 * ConfigApplied or ConfigRefused, with the same `submission`.
 */
export const configSubmitted = z.object({
  partition: partitionName,
  /** The sender's own id, by which it finds the answer. */
  submission: id,
  /** Absent: found out from the configuration. */
  format: z.enum(configurationFormats).optional(),
  /** As text, or as a JSON object of the same shape. */
  configuration: z.union(
    [z.string().min(1).max(configurationLimits.bytes), z.record(z.string(), z.unknown())],
    'give the configuration as text that is not empty, or as a JSON object of the same shape',
  ),
});
