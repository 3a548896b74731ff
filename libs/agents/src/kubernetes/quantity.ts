import { InputError } from '#contracts';

const suffixes: Record<string, readonly [base: bigint, exponent: number]> = {
  n: [10n, -9],
  u: [10n, -6],
  m: [10n, -3],
  '': [10n, 0],
  k: [10n, 3],
  M: [10n, 6],
  G: [10n, 9],
  T: [10n, 12],
  P: [10n, 15],
  E: [10n, 18],
  Ki: [2n, 10],
  Mi: [2n, 20],
  Gi: [2n, 30],
  Ti: [2n, 40],
  Pi: [2n, 50],
  Ei: [2n, 60],
};
const shape = /^\+?(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,3})|([numkMGTPE]|[KMGTPE]i)?)$/;
const largest = BigInt(Number.MAX_SAFE_INTEGER);

/** An exact amount: `numerator / denominator`. */
export interface Quantity {
  numerator: bigint;
  denominator: bigint;
}

/**
 * A quantity as the Kubernetes API writes it (`500m`, `1.5Gi`, `1e3`), exact.
 *
 * @param path the field that it was read from, for the error.
 * @throws InputError if it is not a quantity, or is negative.
 */
export function parseKubernetesQuantity(text: string, path = ''): Quantity {
  const match = text.length <= 64 ? shape.exec(text) : null;
  const [, whole = '', part = '', exponent, suffix = ''] = match ?? [];
  if (match === null || whole + part === '') {
    throw new InputError(
      path,
      `${JSON.stringify(text.slice(0, 64))} is not a quantity: write one such as 4, 500m or 20Gi`,
    );
  }
  const [base, power] = exponent === undefined ? suffixes[suffix]! : [10n, Number(exponent)];
  const digits = BigInt(whole + part);
  const scale = base ** BigInt(Math.abs(power));
  const denominator = 10n ** BigInt(part.length);
  return power < 0
    ? { numerator: digits, denominator: denominator * scale }
    : { numerator: digits * scale, denominator };
}

/**
 * The amount in the base units of a snapshot: cpu in thousandths, everything else in bytes or pieces. Rounded up, as the
 * scheduler does; an amount above 2^53 - 1 becomes 2^53 - 1.
 */
export function baseUnits(resource: string, quantity: Quantity): number {
  const { numerator, denominator } = scaled(resource, quantity);
  return bounded((numerator + denominator - 1n) / denominator);
}

/** The same of a limit, rounded down: what is counted against it is whole. */
export function wholeUnits(resource: string, quantity: Quantity): number {
  const { numerator, denominator } = scaled(resource, quantity);
  return bounded(numerator / denominator);
}

const scaled = (resource: string, { numerator, denominator }: Quantity): Quantity => ({
  numerator: resource === 'cpu' ? numerator * 1000n : numerator,
  denominator,
});

const bounded = (amount: bigint): number => Number(amount < largest ? amount : largest);

/** The name of a resource in Curtail: `cpu` is `vcore`, all others keep their names. */
export const resourceTypeOf = (resource: string): string => (resource === 'cpu' ? 'vcore' : resource);
