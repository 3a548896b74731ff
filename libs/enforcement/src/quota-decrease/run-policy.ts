import { outcomeOfTarget } from '../run/outcome-of-target.js';
import type { RunPolicy } from '../run-policy.js';
import { ownChecks } from './own-checks.js';

/** docs/reference/policies/quota-decrease.md */
export const quotaDecrease: RunPolicy = {
  name: 'quota-decrease',
  isRound: false,
  notifiesInOneRound: false,
  killsWithGrace: true,
  ownChecks,
  outcomeOf: outcomeOfTarget,
};
