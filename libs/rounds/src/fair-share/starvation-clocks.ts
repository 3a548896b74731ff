import { type Observation, observe } from '#enforcement';
import { appendNext, type Tx } from '#event-store';
import { clearDueTimers, clearTimers, clearTimersOf, setTimers, type Timer } from '#timers';
import { endRounds } from '../round-table.js';
import {
  dropView,
  lastObservation,
  readClocks,
  setObservedAt,
  takeObservationTurn,
  writeClocks,
} from './fair-share-tables.js';

/** The kind of the timers that request a plan because a state has lasted too long. */
export const starvationTimer = 'starvation';

/** The name of the timer that requests a plan when the first node may be used again. */
export const backOffTimer = 'back-off';

/** The stream of the clocks of a partition; written by the planner, and by the timer when the policy is switched off. */
export const starvationStream = (partition: string) => `starvation-${partition}`;

/**
 * Records an observation: clocks, timers and events change together, in the caller's transaction. Observations of one
 * partition are serialized here, so that the clocks and the head of the stream belong together. The clocks are replaced as a
 * whole, not folded from their events (`FoldedStream`).
 *
 * A timer that is due by the time of the snapshot has been answered by it, and is removed. So a wake-up during a round
 * is not lost: its timer stays due until a later observation.
 *
 * @throws StaleObservation
 */
export async function recordObservation(tx: Tx, observation: Observation): Promise<void> {
  const { partition, at, generation } = observation;
  await takeObservationTurn(tx, observation);
  const { clocks, events } = observe(await readClocks(tx, partition), observation);
  await writeClocks(tx, partition, clocks);
  await clearDueTimers(tx, starvationTimer, partition, at);
  const timers: Timer[] = events.flatMap(({ name, data }) =>
    name === 'TimerStarted' || name === 'TimerRestarted'
      ? [{ ...keyOf(partition, data), generation, dueAt: new Date(data.dueAt), state: 'pending' }]
      : [],
  );
  await setTimers(tx, timers);
  await clearTimers(
    tx,
    events.flatMap(({ name, data }) => (name === 'TimerCancelled' ? [keyOf(partition, data)] : [])),
  );
  if (events.length === 0) return;
  await appendNext(tx, {
    stream: starvationStream(partition),
    partition,
    events: events.map((event) => ({ event, key: 'queue' in event.data ? event.data.queue! : 'root' })),
  });
}

/**
 * The policy is switched off in a partition: all its clocks and its view are deleted. A round under way ends at once;
 * runs whose victims have time to finish detect by themselves that their settings are gone.
 */
export async function forgetClocks(tx: Tx, partition: string, now: Date): Promise<void> {
  await endRounds(tx, 'fair-share', partition);
  const last = await lastObservation(tx, partition, now);
  if (!last) return;
  const { observedAt, at } = last;
  const nothing = { elements: [], nodes: [], overcommitMs: 0, generation: 1 };
  await recordObservation(tx, { partition, at: at.toISOString(), ...nothing });
  // There was no observation: the newest report of the cluster may be older than this, and still be the newest when the
  // policy returns.
  await setObservedAt(tx, partition, observedAt);
  await clearTimersOf(tx, starvationTimer, partition);
  await dropView(tx, partition);
}

const keyOf = (partition: string, { kind, name }: { kind: string; name: string }) => ({
  kind: starvationTimer,
  partition,
  name: `${kind}/${name}`,
});
