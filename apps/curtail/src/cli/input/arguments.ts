import { InvalidArgumentError } from 'commander';

/** Options and arguments as commander reads them; errors name the option. */

export function wholeNumberArgument(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d{1,15}$/.test(text) && number >= min && number <= max) return number;
    throw new InvalidArgumentError(`Write a whole number from ${min} to ${max}.`);
  };
}

/** A length of time, such as `90s`, `8h`, `2w` or `PT8H`, in seconds. */
export function durationArgument(text: string): number {
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
export function instantArgument(text: string): string {
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
export function nameArgument(...kinds: readonly string[]): (text: string) => string {
  return (text) => {
    const kind = kinds.find((known) => text.startsWith(`${known}/`));
    return kind === undefined ? text : text.slice(kind.length + 1);
  };
}

/** Of an option that may be repeated. */
export const anotherOne = (text: string, before: readonly string[] = []): string[] => [...before, text];

/** A length of time as it was written. */
interface Length {
  /** Whole milliseconds; a day has 24 hours here. */
  ms: number;
  /** ISO 8601, for the server: days and weeks stay such, since a day of a time zone may be longer or shorter. */
  iso: string;
}

const unitMs = { W: 604_800_000, D: 86_400_000, H: 3_600_000, M: 60_000, S: 1000 };
const units = Object.keys(unitMs) as (keyof typeof unitMs)[];

/** `90s`, `10m`, `8h`, `3d`, `2w`, and several units from the largest to the smallest: `1d12h`. */
const short = /^(?:(\d{1,9})w)?(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?$/i;
/** ISO 8601 without years and months, which differ in length. */
const iso =
  /^P(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?=\d)(?:(\d{1,9}(?:[.,]\d{1,9})?)H)?(?:(\d{1,9}(?:[.,]\d{1,9})?)M)?(?:(\d{1,9}(?:[.,]\d{1,9})?)S)?)?$/i;

/** What to write, for messages. */
export const lengths = '90s, 10m, 8h, 3d, 2w, or PT8H';

/** The one way to write a length of time in an option. Undefined: the text is none, or its length is 0. */
function lengthOf(text: string): Length | undefined {
  const [, ...numbers] = short.exec(text) ?? iso.exec(text) ?? [];
  const amounts = units.map((unit, i) => ({ unit, amount: numbers[i]?.replace(',', '.') }));
  const ms = amounts.reduce((sum, { unit, amount }) => sum + Number(amount ?? 0) * unitMs[unit], 0);
  if (!(ms > 0)) return undefined;
  const written = (from: number, to: number) =>
    amounts
      .slice(from, to)
      .map(({ unit, amount }) => (amount === undefined ? '' : `${amount}${unit}`))
      .join('');
  const time = written(2, units.length);
  return { ms, iso: `P${written(0, 2)}${time && `T${time}`}` };
}

type Settings = Record<string, unknown>;

/** `fit=within`, `miss=5`, `protect={"users":["root"]}`: values are parsed as JSON where possible, else taken as text. */
export function settingPair(text: string, earlier: Settings = {}): Settings {
  const [, name, value] = /^([A-Za-z]{1,64})=(.+)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new InvalidArgumentError('Write a name and a value, such as fit=within or miss=5.');
  }
  return { ...earlier, [name]: readValue(value) };
}

function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
