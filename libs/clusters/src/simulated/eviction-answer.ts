import type { AllocationState } from '#contracts';
import type { EvictionAnswer } from '../driver.js';

/** The allocation under the id of an eviction, with its application's setting for evictions. */
export interface EvictionTarget {
  uid: string;
  state: AllocationState;
  isGone: boolean;
  /** How often this allocation has been refused already. */
  refusals: number;
  /** How often it refuses, or else its application (the property `refuseEvictions`): so many times, or `always`. */
  refuseEvictions: unknown;
  /** The sentence of its refusals; null: a usual one. */
  reason: string | null;
}

/** The caller must record `kill` and `refuse` before it returns the answer; `none` changes nothing. */
export type EvictionDecision =
  | { change: 'none'; answer: EvictionAnswer }
  | { change: 'kill'; answer: EvictionAnswer }
  | { change: 'refuse'; answer: EvictionAnswer };

const RETRY_AFTER_MS = 100;

/** The answer of the simulated cluster. It checks in the order of a real one: existence, incarnation, permission. */
export function answerEviction(
  target: EvictionTarget | undefined,
  uid: string | undefined,
): EvictionDecision {
  if (target === undefined || target.isGone) return { change: 'none', answer: { kind: 'gone' } };
  if (uid !== undefined && uid !== target.uid) {
    return { change: 'none', answer: { kind: 'other-incarnation', uid: target.uid } };
  }
  if (target.state !== 'running') {
    return { change: 'none', answer: { kind: 'accepted', repeated: true } };
  }
  const { refuseEvictions, refusals, reason } = target;
  if (refuseEvictions === 'always') {
    return {
      change: 'refuse',
      answer: {
        kind: 'refused',
        retryable: false,
        code: 'forbidden',
        message: reason ?? 'Its application refuses every eviction.',
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
        message: `${reason ?? 'The disruption budget of its application is used up'} (${refusals + 1} of ${refuseEvictions} refusals).`,
        retryAfterMs: RETRY_AFTER_MS,
      },
    };
  }
  return { change: 'kill', answer: { kind: 'accepted', repeated: false } };
}
