import type { OwnChecks } from '../run-policy.js';
import type { LiveNeed } from './live-need.js';
import { noMoreNeed } from './need.js';
import { awaitsMate, matesToCheck, onOtherNode, roomLost, startLost } from './starts.js';

/** Before a victim is asked to finish or killed: its need, the room for its start, and the others that make that room. §12 */
export const ownChecks: OwnChecks = {
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
