/** Longer names are compared by their beginning. */
const comparedLetters = 200;

/** The known name that a misspelt one may mean: the two differ in at most `mostChanges` letters. */
export function nearestOf(given: string, known: readonly string[], mostChanges = 2): string | undefined {
  const name = given.slice(0, comparedLetters).toLowerCase();
  let best: { candidate: string; changes: number } | undefined;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) > mostChanges) continue;
    const changes = changesBetween(name, candidate.toLowerCase(), mostChanges);
    if (changes <= mostChanges && (!best || changes < best.changes)) best = { candidate, changes };
  }
  return best?.candidate;
}

/**
 * Edit distance: the number of letters to insert, delete or replace to turn one word into the other; any number above `mostChanges` for
 * words that differ in more. Only the cells that `mostChanges` can reach are computed, since there may be thousands of known names.
 */
function changesBetween(a: string, b: string, mostChanges: number): number {
  const far = mostChanges + 1;
  let row = Array.from({ length: b.length + 1 }, (_, j) => Math.min(j, far));
  for (let i = 1; i <= a.length; i++) {
    const next = new Array<number>(b.length + 1).fill(far);
    let least = far;
    if (i <= mostChanges) next[0] = least = i;
    for (let j = Math.max(1, i - mostChanges); j <= Math.min(b.length, i + mostChanges); j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next[j] = Math.min(replaced, row[j]! + 1, next[j - 1]! + 1);
      least = Math.min(least, next[j]!);
    }
    if (least > mostChanges) return far;
    row = next;
  }
  return row[b.length]!;
}

/** `; did you mean default?` after a misspelt name; empty if no known one is like it. */
export function didYouMean(given: string, known: readonly string[]): string {
  const meant = nearestOf(given, known);
  return meant === undefined ? '' : `; did you mean ${meant}?`;
}

/** The queue that a misspelt path may mean. The last part of a path may be given alone. */
export function meantQueue(queue: string, paths: readonly string[]): string | undefined {
  const ending = paths.filter((path) => path.endsWith(`.${queue}`));
  return nearestOf(queue, paths) ?? (ending.length === 1 ? ending[0] : undefined);
}
