/** The place of a value between two ends, from 0 to `length`. */
export interface Scale {
  at: (value: number) => number;
  from: number;
  to: number;
}

export function scaleOf(from: number, to: number, length: number): Scale {
  const span = to > from ? to - from : 1;
  return { from, to, at: (value) => (length * (value - from)) / span };
}

/**
 * Times in whole units of a clock, few enough to read: the units are local, as people read them. At least one: a short time may lie between two
 * of the units that would be few enough.
 */
export function timeTicks({ from, to }: Scale, most: number): { at: number; text: string }[] {
  const fits = steps.findIndex((length) => (to - from) / length <= most);
  for (let index = fits === -1 ? steps.length - 1 : fits; index >= 0; index--) {
    const ticks = ticksEvery(steps[index]!, from, to);
    if (ticks.length > 0) return ticks.slice(0, Math.ceil(most) + 1);
  }
  return [];
}

function ticksEvery(step: number, from: number, to: number): { at: number; text: string }[] {
  const offset = new Date(from).getTimezoneOffset() * 60_000;
  const ticks: { at: number; text: string }[] = [];
  for (let at = Math.ceil((from - offset) / step) * step + offset; at <= to; at += step)
    ticks.push({ at, text: (step >= day ? days : step >= minute ? minutes : seconds).format(at) });
  return ticks;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const steps = [
  ...[1, 5, 10, 30].map((n) => n * second),
  ...[1, 5, 10, 30].map((n) => n * minute),
  ...[1, 3, 6, 12].map((n) => n * hour),
  ...[1, 2, 7, 30, 90].map((n) => n * day),
];
const days = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const minutes = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const seconds = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** Three amounts, whole in their first digit, up to the largest. */
export function amountTicks(largest: number): number[] {
  const rough = Math.max(1, largest / 3);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough)!;
  return [1, 2, 3].map((n) => n * step).filter((tick) => tick <= largest);
}

/** A line that keeps each value until the next. @returns the `d` of a path. */
export function stepPath(points: readonly (readonly [x: number, y: number])[], end: number): string {
  return points
    .map(([x, y], i) => (i === 0 ? `M${text(x)} ${text(y)}` : `H${text(x)}V${text(y)}`))
    .concat(points.length > 0 ? [`H${text(end)}`] : [])
    .join('');
}

const text = (pixels: number) => String(Math.round(pixels * 10) / 10);
