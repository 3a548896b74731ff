/**
 * A moment in the future. Steps that wait for an operator have no date: each wait for an operator begins a new phase,
 * which comes after everything in the phases before. Phase 0 is the time that passes by itself, in milliseconds since
 * 1970; later phases count from their start.
 */
export interface Moment {
  readonly phase: number;
  readonly ms: number;
}

/** After the approval of a run that has opened at `at`. */
export const afterApproval = ({ phase }: Moment): Moment => ({ phase: phase + 1, ms: 0 });

/** Clocks that a stop holds: `ms` after it is lifted, which counts as later than every approval. */
export const afterResume = (ms: number): Moment => ({ phase: 1_000_000, ms });

export const atDate = (ms: number): Moment => ({ phase: 0, ms });

export const compareMoments = (a: Moment, b: Moment): number => a.phase - b.phase || a.ms - b.ms;

export const latest = (moments: readonly Moment[]): Moment =>
  moments.reduce((last, moment) => (compareMoments(moment, last) > 0 ? moment : last));
