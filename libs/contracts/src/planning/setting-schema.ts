import { InputError } from '../input-error.js';
import { isObject } from '../is-object.js';
import { shown } from '../words.js';
import type { Resources } from './policy.js';

/*
 * The settings of a policy are one schema: an object with a reader function for each setting. The types of given and of read settings are
 * derived from it. No library does this, since `curtail plan` reads settings, and loading zod takes longer than a plan.
 */

/** Reads a setting at a path. Absent and null mean the default. @throws InputError with the path. */
export interface SettingType<Read, Given = Read> {
  (value: unknown, path: string): Read;
  /** Carries the type only. */
  readonly given?: Given;
}

// biome-ignore lint/suspicious/noExplicitAny: types of any setting
export type PolicySettingsSchema = Readonly<Record<string, SettingType<any, any>>>;

/** Settings with every default in its place. */
export type ReadSettingsOf<S extends PolicySettingsSchema> = {
  -readonly [name in keyof S]: S[name] extends SettingType<infer Read, infer _> ? Read : never;
};

/** Settings as given: absent and null mean the default. */
export type GivenSettingsOf<S extends PolicySettingsSchema> = {
  -readonly [name in keyof S]?: (S[name] extends SettingType<infer _, infer Given> ? Given : never) | null;
};

/** An object of settings; absent and null are `{}`. An unknown setting is refused, after all others were read. */
export function object<S extends PolicySettingsSchema>(
  schema: S,
): SettingType<ReadSettingsOf<S>, GivenSettingsOf<S>> {
  return (input, path) => {
    const fields = fieldsOf(input ?? {}, path);
    const read = Object.entries(schema).map(([name, type]) => [name, type(fields[name], `${path}.${name}`)]);
    for (const name of Object.keys(fields)) {
      if (Object.hasOwn(schema, name)) continue;
      const known = Object.keys(schema).join(', ');
      throw new InputError(`${path}.${name}`, `it is not a known field; the known ones are ${known}`);
    }
    return Object.fromEntries(read) as ReadSettingsOf<S>;
  };
}

export function flag<D extends boolean | undefined>(
  absent: D,
): SettingType<boolean | Extract<D, undefined>, boolean> {
  return (value, path) => {
    const given = value ?? absent;
    if (typeof given === 'boolean') return given;
    if (given === undefined) return undefined as Extract<D, undefined>;
    throw wrong(path, given, 'true or false');
  };
}

/** The first of `values` is the default. */
export function oneOf<const T extends string>(values: readonly [T, ...T[]]): SettingType<T> {
  return (value, path) => {
    const given = value ?? values[0];
    const found = values.find((known) => known === given);
    if (found !== undefined) return found;
    throw wrong(path, given, `one of ${values.map((known) => `"${known}"`).join(', ')}`);
  };
}

/** The same setting, which has no default: absent and null are refused. */
export function required<Read, Given>(type: SettingType<Read, Given>): SettingType<Read, Given> {
  return (value, path) => {
    if (value !== undefined && value !== null) return type(value, path);
    throw new InputError(path, 'it is missing; it has no default');
  };
}

/** At most so many of the same; absent = none. */
export function listOf<Read, Given>(
  item: SettingType<Read, Given>,
  most: number,
): SettingType<readonly Read[], readonly Given[]> {
  const one = required(item);
  return (value, path) => {
    const list = value ?? [];
    if (!Array.isArray(list)) throw wrong(path, list, 'a list');
    if (list.length > most) throw tooMany(path, list, most);
    return list.map((entry: unknown, i) => one(entry, `${path}[${i}]`));
  };
}

/** A number from `least` to `most`; `what` describes the range. */
export function numberFrom(
  absent: number,
  [least, most]: readonly [number, number],
  what: string,
): SettingType<number> {
  return (value, path) => {
    const given = value ?? absent;
    if (typeof given === 'number' && given >= least && given <= most) return given;
    throw wrong(path, given, what);
  };
}

/** A duration in whole milliseconds. */
export function milliseconds(absent: number, least: 0 | 1): SettingType<number> {
  return wholeNumber(
    absent,
    [least, Number.MAX_SAFE_INTEGER],
    `a whole number of milliseconds, at least ${least}`,
  );
}

export function wholeNumber(
  absent: number,
  range: readonly [number, number],
  what: string,
): SettingType<number> {
  const number = numberFrom(absent, range, what);
  return (value, path) => {
    const read = number(value, path);
    if (Number.isInteger(read)) return read;
    throw wrong(path, read, what);
  };
}

/** Amounts by resource type; absent = none. */
export const amounts: SettingType<Resources> = (value, path) => {
  const given = fieldsOf(value ?? {}, path);
  for (const [type, amount] of Object.entries(given)) {
    if (typeof amount === 'number' && amount >= 0 && Number.isSafeInteger(amount)) continue;
    throw wrong(`${path}.${type}`, amount, 'a whole number in base units from 0 to 2^53 - 1');
  }
  return given as Resources;
};

/** A text that `read` accepts; `what` describes the accepted texts. */
export function textThat<T extends string, Given extends string = T>(
  absent: T,
  read: (value: unknown) => T | undefined,
  what: string,
): SettingType<T, Given> {
  return (value, path) => {
    const found = read(value ?? absent);
    if (found !== undefined) return found;
    throw wrong(path, value, what);
  };
}

/** Some of `values`; absent = all. */
export function someOf<const T extends string>(values: readonly T[]): SettingType<readonly T[]> {
  const what = `a list of some of ${values.map((value) => `"${value}"`).join(', ')}`;
  return (value, path) => {
    const list = value ?? values;
    if (!Array.isArray(list)) throw wrong(path, list, what);
    for (const one of list as readonly unknown[]) {
      if (values.some((known) => known === one)) continue;
      throw new InputError(path, `it has ${shown(one)}; it must be ${what}`);
    }
    return list as readonly T[];
  };
}

/** At most this many texts; absent = none. */
export function texts(most: number): SettingType<readonly string[], string[]> {
  return (value, path) => {
    const list = value ?? [];
    if (!Array.isArray(list)) throw wrong(path, list, 'a list of strings');
    if (list.length > most) throw tooMany(path, list, most);
    list.forEach((text: unknown, i) => {
      if (typeof text !== 'string') throw wrong(`${path}[${i}]`, text, 'a string');
    });
    return list as string[];
  };
}

/** Any finite number; absent = null. */
export const numberOrNone: SettingType<number | null> = (value, path) => {
  const given = value ?? null;
  if (given === null || (typeof given === 'number' && Number.isFinite(given))) return given;
  throw wrong(path, given, 'a number, or null for none');
};

function tooMany(path: string, list: readonly unknown[], most: number): InputError {
  return new InputError(path, `it has ${list.length} entries; at most ${most} are read`);
}

function fieldsOf(input: unknown, path: string): Readonly<Record<string, unknown>> {
  if (isObject(input)) {
    return input as Record<string, unknown>;
  }
  throw wrong(path, input, 'an object, {} for the defaults');
}

function wrong(path: string, value: unknown, what: string): InputError {
  return new InputError(path, `it is ${shown(value)}; it must be ${what}`);
}
