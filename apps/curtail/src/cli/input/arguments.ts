import { InvalidArgumentError } from 'commander';

/** Options and arguments as commander reads them; errors name the option. */

export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d{1,15}$/.test(text) && number >= min && number <= max) return number;
    throw new InvalidArgumentError(`Write a whole number from ${min} to ${max}.`);
  };
}

const unitSeconds: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** A length of time, `90s`, `10m`, `2h` or `3d`, in seconds. */
export function duration(text: string): number {
  const [, number, unit = ''] = /^(\d{1,9})(s|m|h|d)$/.exec(text) ?? [];
  const seconds = Number(number) * (unitSeconds[unit] ?? 0);
  if (seconds > 0) return seconds;
  throw new InvalidArgumentError('Write a length of time: 90s, 10m, 2h, 3d.');
}

/** A time as RFC 3339, or an age (`90s`, `10m`, `2h`, `3d`), as RFC 3339. */
export function instant(text: string): string {
  const ago = /^(\d{1,9})(s|m|h|d)$/.exec(text);
  const time = ago
    ? Date.now() - Number(ago[1]) * (unitSeconds[ago[2] ?? ''] ?? 0) * 1000
    : /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i.test(text)
      ? Date.parse(text)
      : Number.NaN;
  if (!Number.isNaN(time) && Math.abs(time) <= 8.64e15) return new Date(time).toISOString();
  throw new InvalidArgumentError(
    'Write a time such as 2026-11-21T10:00:00Z, or how long ago: 90s, 10m, 2h, 3d.',
  );
}

/** Names of queues and partitions are stored in lower case. */
export function lowerCase(text: string): string {
  return text.toLowerCase();
}

/** A name, also as `-o name` prints it, behind one of these kinds: `enforcement/e-99dr3sgdmmb0`. */
export function nameOf(...kinds: readonly string[]): (text: string) => string {
  return (text) => {
    const kind = kinds.find((known) => text.startsWith(`${known}/`));
    return kind === undefined ? text : text.slice(kind.length + 1);
  };
}

/** Of an option that may be repeated. */
export const anotherOne = (text: string, before: readonly string[] = []): string[] => [...before, text];
