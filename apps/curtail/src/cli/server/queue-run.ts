import type { QueueRunPreview } from '#api-client';
import { placeOf } from '../output/place.js';
import { CommandError } from '../terminal/errors.js';
import type { Client } from './client.js';

/**
 * The run that a queue would have now, or that its pending clock leads to, planned by the server.
 *
 * @throws CommandError if a run of the queue is in progress, or no plan can be made.
 */
export async function previewOfQueue(
  client: Client,
  partition: string,
  queue: string,
): Promise<QueueRunPreview & { run: NonNullable<QueueRunPreview['run']> }> {
  const preview = await client.get('/v1/partitions/{partition}/queues/{queue}/preview', {
    params: { path: { partition, queue } },
  });
  const { run, running } = preview;
  if (running !== null) {
    throw new CommandError(`run ${running} of ${queue} is in progress`, {
      next: `see its plan: curtail explain enforcement ${running}`,
    });
  }
  if (run?.planFault !== undefined) {
    throw new CommandError(`${queue}: no plan can be made: ${run.planFault}`);
  }
  if (!run) {
    throw new CommandError(`no run of ${queue} can be planned now`, {
      next: `see why: curtail explain queue ${queue}${placeOf({ partition })}`,
    });
  }
  return { ...preview, run };
}
