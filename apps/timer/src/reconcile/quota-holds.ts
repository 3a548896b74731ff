import { type Mode, modeInForce } from '#enforcement';
import type { Tx } from '#event-store';
import { holdsOf, type PartitionHolds } from '../clocks/schedule-session.js';
import type { TimerSettings } from '../settings/timer-settings.js';

/** What keeps the reconciler from setting clocks of a partition: its switch, its stops, and whether it is only observed. */
export type QuotaHolds = Pick<PartitionHolds, 'enabled' | 'stops'> & { observed: boolean };

/** Reads them in the transaction that decides about the clocks, once these are locked. */
export async function quotaHolds(tx: Tx, partition: string, settings: TimerSettings): Promise<QuotaHolds> {
  const [holds, [stored]] = await Promise.all([
    holdsOf(tx, [partition]),
    tx.query<{ mode: Mode }[]>('SELECT mode FROM partition_modes WHERE partition = $1', [partition]),
  ]);
  const { enabled, stops } = holds.get(partition)!;
  return { enabled, stops, observed: modeInForce(stored?.mode ?? null, settings).mode === 'observe' };
}
