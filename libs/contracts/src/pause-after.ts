/** Pauses between tries, in any unit: the first one, and the one that later ones do not exceed. */
export interface Pauses {
  first: number;
  longest: number;
}

/** The pause after so many failures in a row, from 1: it doubles with each, up to the longest. */
export function pauseAfter(failures: number, { first, longest }: Pauses): number {
  // A pause as long as that is the longest one, and the number stays finite.
  return Math.min(first * 2 ** Math.min(failures - 1, 30), longest);
}
