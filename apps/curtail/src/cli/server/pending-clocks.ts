import type { Applied, Timer } from '#api-client';
import { clockKind } from '#contracts';
import { CommandError } from '../terminal/errors.js';
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
): Promise<Timer[]> {
  if (!on) return [];
  const isChanged = new Set(changed.map(({ queue }) => queue));
  try {
    const { items } = await client.get('/v1/timers', {
      params: { query: { partition, policy: clockKind, limit: Math.min(1000, limit + isChanged.size) } },
    });
    return items.filter(({ queue }) => !isChanged.has(queue)).slice(0, limit);
  } catch (error) {
    if (error instanceof CommandError) return [];
    throw error;
  }
}
