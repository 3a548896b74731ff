/** A single value as it was typed: quantities and durations are read from the text, since `1e3`, `010` and a 19-digit number would be lost. */
export interface WrittenScalar {
  readonly type: 'null' | 'boolean' | 'number' | 'text';
  readonly text: string;
}

/** The text of a number of JSON, with all digits of a whole one. The largest amount, 2^63 - 1, has become 2^63 in a double. */
export function textOfNumber(value: number): string {
  if (value === 2 ** 63) return String(2n ** 63n - 1n);
  return Number.isInteger(value) ? String(BigInt(value)) : String(value);
}
