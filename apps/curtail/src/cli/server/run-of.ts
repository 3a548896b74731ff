import { placeOptions } from '#contracts';
import { CommandError } from '../terminal/errors.js';
import type { Client } from './client.js';
import { fullName } from './full-name.js';

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
