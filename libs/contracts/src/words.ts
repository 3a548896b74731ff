/** `1 queue`, `2 queues`; `1 run waits`, `2 runs wait`. */
export function counted(number: number | bigint, one: string, many = `${one}s`): string {
  return `${number} ${Number(number) === 1 ? one : many}`;
}

/** The first names of a list in a sentence: `root.a, root.b and 3 more`. */
export function firstOf(names: readonly string[], most: number): string {
  const more = names.length > most ? ` and ${names.length - most} more` : '';
  return `${names.slice(0, most).join(', ')}${more}`;
}

/** A value of the input for an error message: JSON, truncated. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'number') return String(value);
  const text = JSON.stringify(value) ?? String(value);
  return cutShort(text, 60);
}

/** At most this many characters; three dots mark a truncated end. */
export function cutShort(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 3)}...`;
}

/** Input, shortened for a message. */
export function quoted(text: string): string {
  return JSON.stringify(cutShort(text, 60));
}

/** The path of a field for an error: `a.b`, and `a."b.c"` for a key that is no plain word. */
export function fieldPath(path: string, key: string): string {
  const shown = cutShort(key, 80);
  const step = /^[\w@/:#-]+$/.test(shown) ? shown : JSON.stringify(shown);
  return path === '' ? step : `${path}.${step}`;
}

/**
 * Whether a warning is about something that acts although the configuration does not ask for it. Such a warning comes before everything
 * else, so that no one overlooks it.
 */
export const isOnByDefault = ({ code }: { code: string }): boolean => code === 'preemption-by-default';

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
