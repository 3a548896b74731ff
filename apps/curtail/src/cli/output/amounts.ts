import type { Queue } from '#api-client';
import type { Limit, Resources } from '#contracts';
import { counted, amountText as sentenceAmountText, shareText } from '#contracts/ground';

type Amount = number | bigint;

const decimal = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'];
const binary = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

/** One amount for people: `30 GB`, `20 GiB`, `4 vcore`, `2 nvidia.com/gpu`, `1 pod`. Rounded; JSON is exact. */
export function shownAmount(type: string, amount: Amount): string {
  const known = texts.get(type) ?? new Map<Amount, string>();
  texts.set(type, known);
  const text = known.get(amount) ?? newText(type, amount);
  if (known.size < mostTexts) known.set(amount, text);
  return text;
}

/** The same with three decimals, as on the page: what a change is made from and to, where rounding would hide a difference. */
export const fineAmountText = (type: string, amount: number): string =>
  type === 'memory' || type === 'vcore'
    ? sentenceAmountText(type, amount).replace(/ memory$/, '')
    : shownAmount(type, amount);

/** By type and amount: the rows of a long table share most of theirs, and the exact division of large numbers takes time. */
const texts = new Map<string, Map<Amount, string>>();
const mostTexts = 10_000;

function newText(type: string, amount: Amount): string {
  if (type === 'memory') return bytesText(BigInt(amount));
  if (type === 'ephemeral-storage') return `${bytesText(BigInt(amount))} ${type}`;
  if (type === 'vcore') return `${rounded(BigInt(amount), 1000n)} vcore`;
  return type === 'pods' ? counted(amount, 'pod') : `${amount} ${type}`;
}

/** `30 GB, 4 vcore`, memory and vcore first; a dash if empty. */
export function amountsText(amounts: Resources | { readonly [type: string]: Amount } | null): string {
  const entries = Object.entries(amounts ?? {}).sort(
    ([a], [b]) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1),
  );
  return entries.length === 0 ? '-' : entries.map(([type, amount]) => shownAmount(type, amount)).join(', ');
}

/** Amounts times hours: `12 GB·h, 4 vcore·h, 0.25 nvidia.com/gpu·h`; a dash if empty. */
export function hoursText(hours: Readonly<Record<string, number>>): string {
  const entries = Object.entries(hours).sort(([a], [b]) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1));
  const texts = entries.flatMap(([type, amount]) => {
    const isFine = type === 'memory' || type === 'vcore' || type === 'ephemeral-storage';
    const shown = isFine ? Math.round(amount) : Math.round(amount * 100) / 100;
    if (shown === 0) return [];
    return `${isFine ? shownAmount(type, shown) : `${shown} ${type}`}·h`;
  });
  return texts.length === 0 ? '-' : texts.join(', ');
}

/** `30 GB, 4 vcore`, `25 % of the cluster (30 GB, 4 vcore)`, or `no limit`. */
export function limitText({ max, maxShare }: Limit): string {
  if (maxShare === undefined) return max === null ? 'no limit' : amountsText(max);
  return `${shareText(maxShare)} of the cluster${max === null ? '' : ` (${amountsText(max)})`}`;
}

function placeOf(type: string): number {
  return type === 'memory' ? 0 : type === 'vcore' ? 1 : 2;
}

/** Decimal or binary unit, whichever needs fewer digits: 21474836480 is 20 GiB, 20000000000 is 20 GB. */
function bytesText(bytes: bigint): string {
  const [ten, two] = [scaled(bytes, 1000n, decimal), scaled(bytes, 1024n, binary)];
  return two.exact && (!ten.exact || two.text.length < ten.text.length) ? two.text : ten.text;
}

function scaled(bytes: bigint, step: bigint, units: readonly string[]): { text: string; exact: boolean } {
  let size = 1n;
  let unit = 0;
  while (unit < units.length - 1 && bytes >= size * step) {
    size *= step;
    unit++;
  }
  return { text: `${rounded(bytes, size)} ${units[unit]}`, exact: (bytes * 100n) % size === 0n };
}

/** At most two decimals, without trailing zeros. */
function rounded(amount: bigint, unit: bigint): string {
  const hundredths = (amount * 200n + unit) / (unit * 2n);
  // A positive amount is never shown as 0.
  if (hundredths === 0n && amount > 0n) return '0.01';
  const decimals = String(hundredths % 100n)
    .padStart(2, '0')
    .replace(/0+$/, '');
  return `${hundredths / 100n}${decimals === '' ? '' : `.${decimals}`}`;
}

/** The delay of a queue: `90 s`; 0 is `off`. */
export const delayText = (seconds: number): string => (seconds === 0 ? 'off' : durationText(seconds));

/** `90 s`, `2 h`, `1 d 3 h`: the two largest units. */
export function durationText(seconds: number): string {
  if (seconds === 0) return '0 s';
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  const parts: string[] = [];
  let left = seconds;
  for (const [unit, size] of durationUnits) {
    const count = unit === 's' ? Math.round(left * 1000) / 1000 : Math.floor(left / size);
    if (count > 0) parts.push(`${count} ${unit}`);
    left -= Math.floor(left / size) * size;
  }
  return parts.slice(0, 2).join(' ');
}

const durationUnits = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

/** The usage of a queue above its quota, work that is leaving included. */
export const usageAbove = ({ usage, max }: Pick<Queue, 'usage' | 'max'>): Resources =>
  amountAboveQuota({ usage, max, inFlight: {} });

/** The usage of a queue above its quota, without work that is leaving. */
export function amountAboveQuota({
  usage,
  inFlight,
  max,
}: Pick<Queue, 'usage' | 'inFlight' | 'max'>): Resources {
  const over = Object.entries(max ?? {}).map(
    ([type, most]) => [type, (usage[type] ?? 0) - (inFlight[type] ?? 0) - most] as const,
  );
  return Object.fromEntries(over.filter(([, amount]) => amount > 0));
}
