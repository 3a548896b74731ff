const units: [string, number][] = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
];

/** The page looks at its clock once a second, and the clock of the database may be ahead of it: what is this near has happened. */
const nearMs = 1500;

/** A distance in time from now, in milliseconds: `in 3 min 20 s`, `2 h ago`, `now`. */
export function distanceText(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000);
  if (seconds < 1 || (ms > 0 && ms < nearMs)) return 'now';
  return ms > 0
    ? `in ${lengthText(seconds, Number.POSITIVE_INFINITY)}`
    : `${lengthText(seconds, preciseUpTo)} ago`;
}

/** A length of time, such as `26 min 23 s`. @param seconds whole ones. */
export const durationText = (seconds: number): string => lengthText(seconds, preciseUpTo);

/** From here on, the second unit of an age says nothing; a countdown is exact to its end. */
const preciseUpTo = 9;

/** The two largest units; only the first where the second is nothing, or the first is more than `precise`. */
function lengthText(seconds: number, precise: number): string {
  for (const [index, [unit, size]] of units.entries()) {
    if (seconds < size) continue;
    const count = Math.floor(seconds / size);
    const [nextUnit, nextSize] = units[index + 1] ?? ['s', 1];
    const rest = Math.floor((seconds % size) / nextSize);
    return rest === 0 || count > precise ? `${count} ${unit}` : `${count} ${unit} ${rest} ${nextUnit}`;
  }
  return `${seconds} s`;
}
