import type { OwnChecks, RunPolicy } from '../run-policy.js';
import type { LiveNeed } from './live-need.js';
import { noMoreNeed } from './need.js';
import { awaitsMate, matesToCheck, onOtherNode, roomLost, startLost } from './starts.js';

/** Before a victim is asked to finish or killed: its need, the room for its start, and the others that make that room. §12 */
const ownChecks: OwnChecks = {
  checkedBeside: matesToCheck,
  awaitsOther: awaitsMate,
  whyStays(state, victim, live, { now, control, facts }) {
    const need = facts.own as LiveNeed | undefined;
    return (
      onOtherNode(victim, live) ??
      (need && (noMoreNeed(state, victim, live.resources, need) ?? roomLost(state, victim, need))) ??
      startLost(state, victim, now, control, facts)
    );
  },
};

/** docs/reference/policies/fair-share.md §12 */
export const fairShareRuns: RunPolicy = {
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
