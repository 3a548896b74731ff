import { InputError, isObject, shown } from '#contracts';

export type Fields = { readonly [name: string]: unknown };

/** `null` counts as absent wherever a field may be left out. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

export function objectAt(value: unknown, path: string): Fields {
  if (!isObject(value)) {
    throw new InputError(path, `must be an object, found ${shown(value)}`);
  }
  return value as Fields;
}

export function arrayAt(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new InputError(path, `must be an array, found ${shown(value)}`);
  return value;
}

/** A text that names something: not empty. */
export function nameAt(value: unknown, path: string): string {
  if (typeof value !== 'string' || value === '') throw notName(value, path);
  return value;
}

export function notName(value: unknown, path: string): InputError {
  return new InputError(path, `must be a string that is not empty, found ${shown(value)}`);
}

export function booleanAt(value: unknown, path: string, absent: boolean): boolean {
  if (isAbsent(value)) return absent;
  if (typeof value !== 'boolean') throw new InputError(path, `must be true or false, found ${shown(value)}`);
  return value;
}

/** Priorities: any finite number, higher is more important. */
export function numberAt(value: unknown, path: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new InputError(path, `must be a number, found ${shown(value)}`);
  }
  return value;
}
