import { z } from 'zod';
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
  format: z.enum(['yunikorn']).optional(),
  /** queues.yaml as text, or a JSON object of the same shape. */
  configuration: z.union(
    [z.string().min(1).max(configurationLimits.bytes), z.record(z.string(), z.unknown())],
    'give queues.yaml as text that is not empty, or as a JSON object of the same shape',
  ),
});
