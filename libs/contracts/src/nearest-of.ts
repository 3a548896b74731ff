/** Longer names are compared by their beginning, so that a hostile one costs little. */
const comparedLetters = 200;
const mostChanges = 2;

/** The known name that a misspelt one may mean: the two differ in at most two letters. */
export function nearestOf(given: string, known: readonly string[]): string | undefined {
  const name = given.slice(0, comparedLetters).toLowerCase();
  let best: { candidate: string; changes: number } | undefined;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) > mostChanges) continue;
    const changes = changesBetween(name, candidate.toLowerCase());
    if (changes <= mostChanges && (!best || changes < best.changes)) best = { candidate, changes };
  }
  return best?.candidate;
}

/** Edit distance: the number of letters to insert, delete or replace to turn one word into the other. */
function changesBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
