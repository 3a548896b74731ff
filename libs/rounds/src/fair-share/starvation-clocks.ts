import { type Observation, type OpeningTerms, observe, type PlannedRun } from '#enforcement';
import { appendNext, type Tx } from '#event-store';
import { clearDueTimers, clearTimers, clearTimersOf, setTimers, type Timer, type WakeUp } from '#timers';
import type { OwnGauge, OwnTimers } from '../round-policy.js';
import { endRounds } from '../round-table.js';
import {
  countStarvationClocks,
  dropView,
  lastObservation,
  readStarvationClocks,
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
  const { clocks, events } = observe(await readStarvationClocks(tx, partition), observation);
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

/**
 * Timers that request a plan when an element has starved for too long, or when a node may be used again. Only the sweep finds those of
 * nodes: no event but the plan names them, and reading every plan for them would cost more than a delay of a second.
 */
export const starvationTimers: OwnTimers = {
  kind: starvationTimer,
  events: ['TimerStarted', 'TimerRestarted'],

  setBy: (events) =>
    events.flatMap((event): WakeUp[] => {
      if (event.name !== 'TimerStarted' && event.name !== 'TimerRestarted') return [];
      const { partition, kind, name, generation, dueAt } = event.data;
      return [
        { kind: starvationTimer, partition, name: `${kind}/${name}`, generation, dueAt: new Date(dueAt) },
      ];
    }),
};

/** How many pools and operations starve as of the last rounds. */
export const starvingGauge: OwnGauge = {
  name: 'curtail_starving',
  help: 'Pools and operations that starve as of the last fair-share round, by kind and state.',
  labels: ['kind', 'state'],
  async count(db) {
    const counts = await countStarvationClocks(db);
    return ['pool', 'operation'].flatMap((kind) =>
      ['starving', 'aggressively_starving'].map((state) => {
        const found = counts.find((row) => row.kind === kind && row.starvation === state);
        return { labels: { kind, state }, value: found?.count ?? 0 };
      }),
    );
  },
};

/**
 * The maximum age of a plan when it kills a victim, in addition to the time that its victims have to finish. Kills that
 * are late, for instance because no executor ran, are decided again by a later round.
 */
const planSeconds = 60;
/** The same for a plan that waits for an approval: shares, limits and protection of hours ago are no reason to kill. */
const approvalSeconds = 600;

/** The remaining time of a run of fair-share from its opening, by the age of its plan; 0 if the plan is too old. */
export function timeLeft(
  { takenAt, plan }: Pick<PlannedRun, 'takenAt' | 'plan'>,
  { openedAt, deadlineSeconds }: Pick<OpeningTerms, 'openedAt' | 'deadlineSeconds'>,
): Pick<OpeningTerms, 'roundSeconds' | 'deadlineSeconds'> {
  const longestMs = plan.victims.reduce(
    (longest, { gracePeriodMs = 0 }) => Math.max(longest, gracePeriodMs),
    0,
  );
  const ageMs = Math.max(0, Date.parse(openedAt) - Date.parse(takenAt));
  const secondsLeft = (atMost: number) => Math.max(0, atMost + (longestMs - ageMs) / 1000);
  return {
    roundSeconds: secondsLeft(planSeconds),
    deadlineSeconds: Math.min(deadlineSeconds, secondsLeft(approvalSeconds)),
  };
}
