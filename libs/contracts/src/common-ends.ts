/** How long the beginnings are that two texts have in common, and their ends behind these, in UTF-16 units. */
export function commonEnds(a: string, b: string): { begin: number; end: number } {
  const shorter = Math.min(a.length, b.length);
  const begin = longest(shorter, (length) => a.slice(0, length) === b.slice(0, length));
  const end = longest(shorter - begin, (length) => a.slice(a.length - length) === b.slice(b.length - length));
  return { begin, end };
}

/** The largest number for which something holds that holds for all smaller ones. */
function longest(most: number, holds: (length: number) => boolean): number {
  let [low, high] = [0, most];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
