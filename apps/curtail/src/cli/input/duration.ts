/** A length of time as it was written. */
export interface Length {
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
export function lengthOf(text: string): Length | undefined {
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
