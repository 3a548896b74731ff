import type { OpeningTerms, PlannedRun } from '#enforcement';

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
