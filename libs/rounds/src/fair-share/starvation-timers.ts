import type { OpeningTerms, PlannedRun } from '#enforcement';
import type { WakeUp } from '#timers';
import type { OwnGauge, OwnTimers } from '../round-policy.js';
import { countClocks, starvationTimer } from './starvation-clocks.js';

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
    const counts = await countClocks(db);
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
