import type { QueueRunPreview } from '#api-client';
import { counted, nodeLabelsSentence, placeOptions } from '#contracts/ground';
import type { Invocation } from '../invocation/invocation.js';
import { placeOf } from '../output/inventory-lines.js';
import { planLines } from '../output/plan-lines.js';
import { clockText, withClockTimes } from '../output/time.js';
import { hanging } from '../output/width.js';
import { CommandError } from '../terminal/errors.js';
import { printable } from '../terminal/printable.js';
import type { Client } from './client.js';
import { fullName } from './full-name.js';

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

/** What a run of a queue would do now: when it starts, what holds it, and its plan. */
export function queueRunLines(
  { queue, enforcement, quotaPreemptionEnabled, nodeLabels, run }: QueueRunPreview,
  invocation: Invocation,
): string[] {
  const { width } = invocation;
  if (nodeLabels) {
    return hanging(`No run of ${queue} is planned. ${printable(nodeLabelsSentence(nodeLabels))}`, width);
  }
  const evictsNothing = run?.plan?.victims.length === 0;
  const does = evictsNothing ? 'it evicts nothing:' : 'it evicts:';
  const when =
    enforcement === null
      ? `No clock runs for ${queue}. A run now would evict${evictsNothing ? ' nothing' : ''}:`
      : run?.dueAt
        ? `Run ${enforcement} of ${queue} is due at ${clockText(run.dueAt)}. With the current work, ${does}`
        : `Run ${enforcement} of ${queue} is held. With the current work, ${does}`;
  return [
    ...hanging(when, width),
    ...(quotaPreemptionEnabled
      ? []
      : hanging('Quota preemption is off in the configuration: no run starts.', width)),
    ...(run?.waitsFor ?? []).flatMap(({ because }) =>
      hanging(`It waits: ${withClockTimes(printable(because))}`, width),
    ),
    ...(run && run.held.length > 0
      ? hanging(`A stop spares ${counted(run.held.length, 'victim', 'victims')} of them.`, width)
      : []),
    ...(run?.plan ? ['', ...planLines(run.plan, invocation, { reasons: true })] : []),
  ];
}

/**
 * The id of a run, given by its id, the beginning of one, or by its queue (`queue/root.a`): a queue has at most one run, in progress or
 * pending.
 *
 * @throws CommandError if the queue has none.
 */
export async function runOf(client: Client, given: string, partition: string): Promise<string> {
  const [, queue] = /^queue\/(.+)$/.exec(given) ?? [];
  if (queue === undefined) return fullName(client, 'enforcement', given);
  const view = await client.get('/v1/queues/{path}', {
    params: { path: { path: queue }, query: { partition } },
  });
  if (view.enforcement !== null) return view.enforcement;
  const { items } = await client.get('/v1/timers', { params: { query: { partition, queue, limit: 1000 } } });
  const pending = items.find((timer) => timer.queue === queue)?.enforcement;
  if (pending) return pending;
  throw new CommandError(`${queue} has no run now, neither pending nor in progress`, {
    next: `see its last runs: curtail get enforcements${placeOptions(partition, queue)}`,
  });
}
