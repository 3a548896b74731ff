import type { OpeningTerms, PlannedRun } from '@curtail/enforcement';

/**
 * How old a plan may be when it kills a victim, beside the time that its victims have to finish. What it has not done by then, for
 * instance because no executor ran, a later round decides again.
 */
const planSeconds = 60;
/** The same for a plan that waits for an approval: shares, limits and protection of hours ago are no reason to kill. */
const approvalSeconds = 600;

/** How long a run of fair-share may go on from its opening, by the age of its plan: 0 of one that is too old. */
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
