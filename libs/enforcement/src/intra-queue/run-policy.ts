import { outcomeOfTarget, type RunPolicy } from '../run-policy.js';

/** docs/reference/policies/intra-queue.md §8 */
export const intraQueueRuns: RunPolicy = {
  name: 'intra-queue',
  isRound: true,
  notifiesInOneRound: true,
  killsWithGrace: true,
  outcomeOf: outcomeOfTarget,
};
