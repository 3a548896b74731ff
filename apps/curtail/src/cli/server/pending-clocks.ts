import { quotaPolicy } from '@curtail/contracts';
import type { Applied, ListPage, TimerView } from '@curtail/contracts/api';
import { CommandError } from '../errors.js';
import { pathOf } from './address.js';
import type { Client } from './client.js';

/**
 * The first clocks of a partition that a configuration leaves as they are: what they lead to stays due. None where the server does not tell: the
 * configuration is in force all the same.
 *
 * @param limit how many at most.
 */
export async function pendingClocks(
  client: Client,
  { partition, quotaPreemptionEnabled: on, changed }: Applied,
  limit: number,
): Promise<TimerView[]> {
  if (!on) return [];
  const isChanged = new Set(changed.map(({ queue }) => queue));
  try {
    const { items } = await client.get<ListPage<TimerView>>(
      pathOf(['timers'], { partition, limit: Math.min(1000, limit + isChanged.size) }),
    );
    return items.filter(({ kind, queue }) => kind === quotaPolicy && !isChanged.has(queue)).slice(0, limit);
  } catch (error) {
    if (error instanceof CommandError) return [];
    throw error;
  }
}
