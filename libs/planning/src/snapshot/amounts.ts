import { InputError, shown } from '#contracts';
import { type Fields, objectAt } from '../fields.js';

/** The format of an amount: docs/reference/snapshot.md, "Resources". */
export function isAmount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && Number.isSafeInteger(value);
}

export function amountError(path: string, value: unknown): InputError {
  return new InputError(
    path,
    `must be a whole number in base units from 0 to ${Number.MAX_SAFE_INTEGER} (2^53 - 1), found ${shown(value)}`,
  );
}

/** The path of one type of an amounts object; a name that is no plain word stands in brackets. */
export function typePath(path: string, type: string): string {
  return /^[\w/-]+$/.test(type) ? `${path}.${type}` : `${path}[${JSON.stringify(type)}]`;
}

/** Calls `each` for every type of an amounts object, zeros too, after checking its amount. */
export function readAmounts(
  value: unknown,
  path: string,
  each: (type: string, amount: number) => void,
): Fields {
  const amounts = objectAt(value, path);
  for (const type of Object.keys(amounts)) {
    const amount = amounts[type];
    if (!isAmount(amount)) throw amountError(typePath(path, type), amount);
    each(type, amount);
  }
  return amounts;
}
