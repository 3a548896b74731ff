import type { AllocationState } from '@curtail/contracts';
import type { EvictionAnswer } from '../driver.js';

/** What stands under the id of an eviction, with the orders of its application about evictions. */
export interface Standing {
  uid: string;
  state: AllocationState;
  isGone: boolean;
  /** How often this allocation has been refused already. */
  refusals: number;
  /** The property `refuseEvictions` of its application: so many times, or `always`. */
  refuseEvictions: unknown;
}

/** `kill` and `refuse` are to be written down before the answer is given; the others change nothing. */
export type EvictionDecision =
  | { change: 'none'; answer: EvictionAnswer }
  | { change: 'kill'; answer: EvictionAnswer }
  | { change: 'refuse'; answer: EvictionAnswer };

const RETRY_AFTER_MS = 100;

/** The answer of the simulated cluster, in the order in which a real one looks: is it there, is it the one, may it go. */
export function answerEviction(standing: Standing | undefined, uid: string | undefined): EvictionDecision {
  if (standing === undefined || standing.isGone) return { change: 'none', answer: { kind: 'gone' } };
  if (uid !== undefined && uid !== standing.uid) {
    return { change: 'none', answer: { kind: 'other-incarnation', uid: standing.uid } };
  }
  if (standing.state !== 'running') {
    return { change: 'none', answer: { kind: 'accepted', repeated: true } };
  }
  const { refuseEvictions, refusals } = standing;
  if (refuseEvictions === 'always') {
    return {
      change: 'refuse',
      answer: {
        kind: 'refused',
        retryable: false,
        code: 'forbidden',
        message: 'Its application refuses every eviction.',
      },
    };
  }
  if (typeof refuseEvictions === 'number' && refusals < refuseEvictions) {
    return {
      change: 'refuse',
      answer: {
        kind: 'refused',
        retryable: true,
        code: 'budget',
        message: `The disruption budget of its application is used up (${refusals + 1} of ${refuseEvictions} refusals).`,
        retryAfterMs: RETRY_AFTER_MS,
      },
    };
  }
  return { change: 'kill', answer: { kind: 'accepted', repeated: false } };
}
