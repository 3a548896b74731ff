import { InputError, isObject, type Resources } from '#contracts';

type Fields = Readonly<Record<string, unknown>>;

/** @throws InputError unless it is an object. */
export function fieldsOf(value: unknown, path: string): Fields {
  if (isObject(value)) return value as Fields;
  throw new InputError(path, `an object is expected here, not ${kindOf(value)}`);
}

/** A list that is empty is null, or left out. @throws InputError unless it is a list. */
export function listIn(value: unknown, path: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw new InputError(path, `a list is expected here, not ${kindOf(value)}`);
}

/** @throws InputError unless it is a text that is not empty. */
export function textIn(value: unknown, path: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new InputError(path, `a string is expected here, not ${kindOf(value)}`);
}

export const optionalText = (value: unknown, path: string): string | undefined =>
  value === undefined || value === null || value === '' ? undefined : textIn(value, path);

/** @throws InputError unless it is true, false or left out. */
export function flagOf(value: unknown, path: string): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'boolean') return value;
  throw new InputError(path, `true or false is expected here, not ${kindOf(value)}`);
}

/** Amounts in base units, which YuniKorn has as well: vcore in thousandths, memory in bytes. @throws InputError */
export function amountsIn(value: unknown, path: string): Resources {
  if (value === undefined || value === null) return {};
  const amounts = fieldsOf(value, path);
  for (const [type, amount] of Object.entries(amounts)) {
    if (!Number.isSafeInteger(amount) || (amount as number) < 0) {
      throw new InputError(
        `${path}.${type}`,
        `a whole amount, at least 0, is expected here, not ${kindOf(amount)}`,
      );
    }
  }
  return amounts as Resources;
}

/** Nanoseconds since 1970, as RFC 3339. @throws InputError */
export function momentIn(value: unknown, path: string): string {
  const ms = typeof value === 'number' ? Math.floor(value / 1e6) : Number.NaN;
  if (ms > 0 && ms < 8.64e15) return new Date(ms).toISOString();
  throw new InputError(path, `a time in nanoseconds since 1970 is expected here, not ${kindOf(value)}`);
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  return JSON.stringify(typeof value === 'string' ? value.slice(0, 64) : value);
}
