import { nearestOf } from './nearest-of.js';

/** `; did you mean default?` after a misspelt name; empty if no known one is like it. */
export function didYouMean(given: string, known: readonly string[]): string {
  const meant = nearestOf(given, known);
  return meant === undefined ? '' : `; did you mean ${meant}?`;
}
