import { InvalidArgumentError } from 'commander';
import { type Length, lengthOf, lengths } from './duration.js';

/** Options and arguments as commander reads them; errors name the option. */

export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d{1,15}$/.test(text) && number >= min && number <= max) return number;
    throw new InvalidArgumentError(`Write a whole number from ${min} to ${max}.`);
  };
}

/** A length of time, such as `90s`, `8h`, `2w` or `PT8H`, in seconds. */
export function duration(text: string): number {
  return lengthWritten(text).ms / 1000;
}

/** The same as ISO 8601, for fields of the API. */
export function isoDuration(text: string): string {
  return lengthWritten(text).iso;
}

function lengthWritten(text: string): Length {
  const length = lengthOf(text);
  if (length) return length;
  throw new InvalidArgumentError(`Write a length of time: ${lengths}.`);
}

/** A time as RFC 3339, or an age (`90s`, `8h`, `2w`, `PT8H`), as RFC 3339. */
export function instant(text: string): string {
  const ago = lengthOf(text);
  const time = ago
    ? Date.now() - ago.ms
    : /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/i.test(text)
      ? Date.parse(text)
      : Number.NaN;
  if (!Number.isNaN(time) && Math.abs(time) <= 8.64e15) return new Date(time).toISOString();
  throw new InvalidArgumentError(`Write a time such as 2026-11-21T10:00:00Z, or how long ago: ${lengths}.`);
}

/** The start or end of a window that may be in the future, as the server reads it. */
export function windowTime(text: string): string {
  if (!lengthOf(text)) return text;
  throw new InvalidArgumentError(
    `Write a time such as 2026-12-24T18:00Z; how long the window is, --duration says: --duration ${text}.`,
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
