/** The time in which one agent is active, and no other. */
export interface Term {
  /** Aborts at the end of the term; nothing more may be sent then. */
  readonly signal: AbortSignal;
  /** The sequence of every report of this term is greater. */
  readonly sequenceAfter: number;
  /** Whether the term still lasts at this moment, even if timers are late. */
  holds(): boolean;
}

/**
 * What an agent does in one term. Resolves when nothing more can be sent.
 *
 * @param registerSequence receives a function that returns the greatest sequence sent so far.
 */
export type ActInTerm = (term: Term, registerSequence: (sequence: () => number) => void) => Promise<void>;
