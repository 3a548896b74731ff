import { decimalFraction, type Fraction, fraction, productOfFractions } from '#contracts';
import { quoted } from '../field.js';

/** A capacity as YARN takes it: a part of the parent in percent, amounts, or a weight among its siblings. */
export type CapacityValue =
  | { kind: 'percent'; part: Fraction }
  | { kind: 'weight'; weight: Fraction }
  /** Base units. */
  | { kind: 'amounts'; amounts: Map<string, bigint> };

const mebibyte = 1024n * 1024n;
const onePercent = fraction(1n, 100n);
const units: Record<string, [bigint, bigint]> = {
  '': [1n, 1n],
  m: [1n, 1000n],
  k: [1000n, 1n],
  M: [1000n ** 2n, 1n],
  G: [1000n ** 3n, 1n],
  T: [1000n ** 4n, 1n],
  P: [1000n ** 5n, 1n],
  Ki: [1024n, 1n],
  Mi: [1024n ** 2n, 1n],
  Gi: [1024n ** 3n, 1n],
  Ti: [1024n ** 4n, 1n],
  Pi: [1024n ** 5n, 1n],
};
const largest = 2n ** 63n - 1n;

/** A text is the expected form, for the error message. */
export function parseCapacity(text: string): CapacityValue | string {
  if (text.startsWith('[')) return parseAmounts(text);
  const weight = /^(.*)w$/.exec(text)?.[1];
  const number = decimalFraction((weight ?? text).trim());
  if (number === undefined)
    return 'write a percentage such as 12.5, a weight such as 4w, or [memory=10240,vcores=12]';
  if (weight !== undefined) return { kind: 'weight', weight: number };
  if (number.numerator > 100n * number.denominator) return 'write a percentage from 0 to 100';
  return { kind: 'percent', part: productOfFractions(number, onePercent) };
}

/** `[memory=10240,vcores=12]`: memory without a unit is in MiB, vcores are whole, other types are in units. */
function parseAmounts(text: string): CapacityValue | string {
  const inside = /^\[([^\]]*)\]$/.exec(text)?.[1];
  if (inside === undefined) return 'write amounts in brackets, such as [memory=10240,vcores=12]';
  const amounts = new Map<string, bigint>();
  for (const part of inside.split(',')) {
    const [, name, digits = '', unit = ''] =
      /^\s*([\w./-]+)\s*=\s*(\d{1,19})\s*([A-Za-z]{0,2})\s*$/.exec(part) ?? [];
    const scale = units[unit];
    if (name === undefined || (scale === undefined && /[%w]/.test(part))) {
      return /[%w]\s*$/.test(part)
        ? 'a percentage or a weight of one type is not supported; write 12.5, 4w, or amounts of all types'
        : `${quoted(part.trim())} is not an amount; write such as memory=10240 or vcores=12`;
    }
    if (scale === undefined)
      return `${JSON.stringify(unit)} is not a unit; write one of ${Object.keys(units).join(' ').trim()}`;
    const type = typeOf(name);
    if (amounts.has(type)) return `${name} occurs twice; keep one of them`;
    const [factor, divisor] = type === 'memory' && unit === '' ? [mebibyte, 1n] : scale;
    const amount = (BigInt(digits) * factor * (type === 'vcore' ? 1000n : 1n)) / divisor;
    if (amount > largest) return `${name} is more than 2^63 - 1 base units`;
    amounts.set(type, amount);
  }
  return { kind: 'amounts', amounts };
}

/** Curtail's names of types; other types keep their names. */
function typeOf(name: string): string {
  if (name === 'memory' || name === 'memory-mb') return 'memory';
  return name === 'vcores' || name === 'vcore' ? 'vcore' : name;
}
