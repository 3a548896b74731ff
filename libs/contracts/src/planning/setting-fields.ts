import { InputError } from '../input-error.js';
import { shown } from '../shown.js';
import type { Resources } from './resources.js';

/** Allocations that are never victims; matching one entry is enough. A queue covers everything below it. */
export interface ReadProtect {
  queues: readonly string[];
  applications: readonly string[];
  users: readonly string[];
  allocations: readonly string[];
  priorityAtLeast: number | null;
}

/** More names than this in one list of `protect` is taken for a mistake. */
export const maxProtectedNames = 100_000;

/** The fields of a settings object, not looked at yet. */
export type Fields = Record<string, unknown>;

export function readProtect(input: unknown): ReadProtect {
  const path = 'settings.protect';
  const fields = readObject(input ?? {}, path);
  const read: ReadProtect = {
    queues: names(fields.queues, `${path}.queues`),
    applications: names(fields.applications, `${path}.applications`),
    users: names(fields.users, `${path}.users`),
    allocations: names(fields.allocations, `${path}.allocations`),
    priorityAtLeast: priority(fields.priorityAtLeast, `${path}.priorityAtLeast`),
  };
  refuseUnknown(fields, path, Object.keys(read));
  return read;
}

export function readObject(input: unknown, path: string): Fields {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new InputError(path, `it is ${shown(input)}; it has to be an object, {} for the defaults`);
  }
  return input as Fields;
}

export function refuseUnknown(fields: Fields, path: string, known: string[]): void {
  for (const name of Object.keys(fields)) {
    if (!known.includes(name)) {
      throw new InputError(`${path}.${name}`, `it is no known field; the known ones are ${known.join(', ')}`);
    }
  }
}

export function flag(fields: Fields, name: string): boolean | undefined {
  const value = fields[name] ?? undefined;
  if (value === undefined || typeof value === 'boolean') return value;
  throw new InputError(`settings.${name}`, `it is ${shown(value)}; it has to be true or false`);
}

/** The first of `values` is the default. */
export function oneOf<T extends string>(fields: Fields, name: string, values: readonly [T, ...T[]]): T {
  const value = fields[name] ?? values[0];
  const found = values.find((known) => known === value);
  if (found !== undefined) return found;
  throw new InputError(
    `settings.${name}`,
    `it is ${shown(value)}; it has to be one of ${values.map((known) => `"${known}"`).join(', ')}`,
  );
}

/** A number from `least` to `most`; `what` says so in words. */
export function numberFrom(
  fields: Fields,
  name: string,
  absent: number,
  [least, most]: readonly [number, number],
  what: string,
): number {
  const value = fields[name] ?? absent;
  if (typeof value === 'number' && value >= least && value <= most) return value;
  throw new InputError(`settings.${name}`, `it is ${shown(value)}; it has to be ${what}`);
}

/** A span of time in whole milliseconds. */
export function milliseconds(fields: Fields, name: string, absent: number, least: 0 | 1): number {
  const value = numberFrom(
    fields,
    name,
    absent,
    [least, Number.MAX_SAFE_INTEGER],
    `a whole number of milliseconds, at least ${least}`,
  );
  if (Number.isInteger(value)) return value;
  throw new InputError(
    `settings.${name}`,
    `it is ${shown(value)}; it has to be a whole number of milliseconds, at least ${least}`,
  );
}

/** Amounts by resource type; absent = none. */
export function amounts(fields: Fields, name: string): Resources {
  const path = `settings.${name}`;
  const given = readObject(fields[name] ?? {}, path);
  for (const [type, amount] of Object.entries(given)) {
    if (typeof amount === 'number' && amount >= 0 && Number.isSafeInteger(amount)) continue;
    throw new InputError(
      `${path}.${type}`,
      `it is ${shown(amount)}; it has to be a whole number in base units from 0 to 2^53 - 1`,
    );
  }
  return given as Resources;
}

function names(input: unknown, path: string): readonly string[] {
  const list = input ?? [];
  if (!Array.isArray(list)) throw new InputError(path, `it is ${shown(list)}; it has to be a list of texts`);
  if (list.length > maxProtectedNames) {
    throw new InputError(path, `it has ${list.length} entries; at most ${maxProtectedNames} are read`);
  }
  list.forEach((name: unknown, i) => {
    if (typeof name !== 'string') {
      throw new InputError(`${path}[${i}]`, `it is ${shown(name)}; it has to be a text`);
    }
  });
  return list as string[];
}

function priority(input: unknown, path: string): number | null {
  const value = input ?? null;
  if (value === null || (typeof value === 'number' && Number.isFinite(value))) return value;
  throw new InputError(path, `it is ${shown(value)}; it has to be a number, or null for none`);
}
