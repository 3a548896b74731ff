const DECIMAL: [string, number][] = [
  ['PB', 1e15],
  ['TB', 1e12],
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
];
const BINARY: [string, number][] = [
  ['PiB', 2 ** 50],
  ['TiB', 2 ** 40],
  ['GiB', 2 ** 30],
  ['MiB', 2 ** 20],
  ['KiB', 2 ** 10],
];

/** One amount within a sentence: `30 GB memory`, `1.5 vcore`, `2 nvidia.com/gpu`. */
export function amountText(type: string, amount: number): string {
  if (type === 'memory') return `${bytesText(amount)} memory`;
  if (type === 'vcore') return `${amount / 1000} vcore`;
  return `${amount} ${type}`;
}

/** An amount in a unit, rounded to three decimals, and whether it is exactly that. */
interface InUnit {
  readonly rounded: number;
  readonly unit: string;
  readonly exact: boolean;
}

/** A unit in which the amount has at most three decimals, decimal units first; if there is none, rounds to three. */
function bytesText(bytes: number): string {
  const decimal = inUnits(bytes, DECIMAL);
  if (decimal === undefined) return `${bytes} B`;
  const binary = decimal.exact ? undefined : inUnits(bytes, BINARY);
  const { rounded, unit } = binary?.exact ? binary : decimal;
  return `${rounded} ${unit}`;
}

function inUnits(bytes: number, units: readonly [string, number][]): InUnit | undefined {
  for (const [unit, size] of units) {
    if (bytes < size) continue;
    const rounded = Math.round((bytes / size) * 1000) / 1000;
    return { rounded, unit, exact: rounded * size === bytes };
  }
  return undefined;
}
