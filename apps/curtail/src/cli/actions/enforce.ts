import type { QueueRunPreview } from '#api-client';
import { counted } from '#contracts';
import { confirm } from '../input/confirm.js';
import type { Invocation } from '../invocation/invocation.js';
import { amountsText } from '../output/amounts.js';
import { placeOf } from '../output/inventory-lines.js';
import { printLine, write } from '../output/print.js';
import { type Client, callerName, clientOf } from '../server/client.js';
import { previewOfQueue, queueRunLines } from '../server/queue-run.js';

interface EnforceOptions {
  partition: string;
  now?: boolean;
  reason?: string;
  yes?: boolean;
}

export async function run(
  invocation: Invocation,
  queue: string,
  { partition, now: atOnce = false, reason, yes }: EnforceOptions,
): Promise<undefined> {
  const client = clientOf(invocation);
  if (!yes) {
    await assertPossible(client, { partition, queue, atOnce });
    const preview = await previewOfQueue(client, partition, queue);
    const victims = preview.run.plan?.victims.length ?? 0;
    if (invocation.isForPeople) await write(invocation, `${queueRunLines(preview, invocation).join('\n')}\n`);
    const when = atOnce ? 'at once' : 'after the delay of the queue';
    const effect = preview.rejected
      ? rejection(queue, preview.rejected)
      : `A run of ${queue} ${when} would evict ${counted(victims, 'allocation', 'allocations')}.`;
    await confirm(invocation, `${effect} Request it?`, yes);
  }
  const result = await client.post('/v1/queues/{queue}/enforce', {
    params: { path: { queue } },
    body: { partition, atOnce, by: callerName(), ...(reason === undefined ? {} : { reason }) },
  });
  await printLine(
    invocation,
    result,
    `requested a run of ${queue} ${atOnce ? 'at once' : 'after its delay'}: it uses ${amountsText(result.above)} above its quota`,
    `queue/${queue}`,
  );
  if (result.rejected) {
    const { configuration } = result.rejected;
    invocation.report(`warning: ${rejection(queue, result.rejected)}`);
    invocation.report(
      `next: let it evict: curtail approve --configuration ${configuration}${placeOf({ partition })}`,
    );
    return;
  }
  invocation.report(
    `next: watch it: curtail get enforcements --queue ${queue}${placeOf({ partition })} --watch`,
  );
}

/**
 * Before anything is shown and asked: whether the server would take the request.
 *
 * @throws ServerError as the request itself would.
 */
async function assertPossible(
  client: Client,
  { partition, queue, atOnce }: { partition: string; queue: string; atOnce: boolean },
): Promise<void> {
  await client.post('/v1/queues/{queue}/enforce', {
    params: { path: { queue } },
    body: { partition, atOnce, by: callerName(), dryRun: true },
  });
}

const rejection = (queue: string, { configuration, by }: NonNullable<QueueRunPreview['rejected']>): string =>
  `Configuration ${configuration} was rejected by ${by}, so a run of ${queue} will be rejected and evict nothing.`;
