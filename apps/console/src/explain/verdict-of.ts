import type { ClockForesight, ForeseenRun } from '#contracts/api';
import type { ForeseenApplication } from '../queries/queue-statements.js';

/**
 * What the run of a clock would do to an allocation. Only the first victims of an application are named, and only so many applications are
 * kept: what is not named is not known to stay.
 *
 * @param foresight null: nothing was planned for this clock.
 * @param application undefined: none of its application is foreseen, or it is not among those that are kept.
 */
export function verdictOf(
  allocation: string,
  foresight: Pick<ClockForesight, 'moreApplications'> | null,
  application: ForeseenApplication | undefined,
): ForeseenRun['verdict'] {
  if (foresight === null) return 'unknown';
  if (application?.allocations.includes(allocation)) return 'evicted';
  const isAllNamed = application
    ? application.allocations.length >= application.victims
    : foresight.moreApplications === 0;
  return isAllNamed ? 'stays' : 'unknown';
}
