import type { DomainEvent } from '#contracts';
import type { Tx } from '#event-store';
import { type ConfiguredFreeze, putConfiguredFreezes } from '#holds';

/** Puts the freezes of a configuration in force. @returns the events of those that were set and cleared by that. */
export async function freezeEvents(
  tx: Tx,
  partition: string,
  wanted: readonly ConfiguredFreeze[],
  by: string,
): Promise<DomainEvent[]> {
  const { set, cleared } = await putConfiguredFreezes(tx, partition, wanted, by);
  const events = set.map(({ freeze, queue, window, reason }): DomainEvent => {
    const why = reason === undefined ? {} : { reason };
    return { name: 'FreezeSet', data: { partition, queue, freeze, window, configured: true, by, ...why } };
  });
  if (cleared.length === 0) return events;
  return [...events, { name: 'FreezeCleared', data: { partition, freezes: cleared, configured: true, by } }];
}
