import type { RunPolicy } from '../run-policy.js';
import { ownChecks } from './own-checks.js';

/** docs/reference/policies/fair-share.md §12 */
export const fairShare: RunPolicy = {
  name: 'fair-share',
  isRound: true,
  notifiesInOneRound: false,
  killsWithGrace: false,
  ownChecks,
  /** Its plan has no target: it promises that all its victims go. */
  outcomeOf({ victims, outcome }, { counts }) {
    const went = counts.evicted + counts.gone;
    if (went === victims.length) return outcome;
    if (went > 0) return 'best-effort';
    return counts.failed > 0 ? 'failed' : 'impossible';
  },
};
