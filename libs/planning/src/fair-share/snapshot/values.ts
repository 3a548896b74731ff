import { InputError, type StarvationState, shown } from '#contracts';
import { type Fields, isAbsent, objectAt } from '../../fields.js';
import { notInstant } from '../../snapshot/applications.js';
import { parseInstant } from '../../snapshot/instant.js';
import { NON_STARVING } from './columns.js';

/** The properties of a node, a queue or an application, which may be absent. */
export function propertiesAt(value: unknown, path: string): Fields {
  return isAbsent(value) ? {} : objectAt(value, path);
}

/** Milliseconds since 1970 of a time that has to be there. */
export function instantAt(value: unknown, path: string): number {
  const instant = typeof value === 'string' ? parseInstant(value) : Number.NaN;
  if (Number.isNaN(instant)) throw new InputError(path, notInstant(value));
  return instant;
}

/** A time of the state that an earlier check left, NaN where there is none; it is never after `takenAt`. */
export function pastInstantAt(value: unknown, path: string, takenAt: number): number {
  return isAbsent(value) ? Number.NaN : Math.min(instantAt(value, path), takenAt);
}

export function weightAt(value: unknown, path: string): number {
  if (isAbsent(value)) return 1;
  return numberWhere(value, path, (number) => number > 0, 'a number above 0');
}

/** NaN where absent. */
export function partAt(value: unknown, path: string): number {
  if (isAbsent(value)) return Number.NaN;
  return numberWhere(value, path, (number) => number >= 0 && number <= 1, 'a number from 0 to 1');
}

/** NaN where absent. */
export function millisecondsAt(value: unknown, path: string): number {
  if (isAbsent(value)) return Number.NaN;
  const holds = (number: number): boolean => number >= 0 && Number.isSafeInteger(number);
  return numberWhere(value, path, holds, 'a whole number of milliseconds, at least 0');
}

function numberWhere(value: unknown, path: string, holds: (number: number) => boolean, what: string): number {
  if (typeof value === 'number' && Number.isFinite(value) && holds(value)) return value;
  throw new InputError(path, `must be ${what}, found ${shown(value)}`);
}

export function choiceAt<T extends string>(value: unknown, path: string, absent: T, known: readonly T[]): T {
  if (isAbsent(value)) return absent;
  const found = known.find((name) => name === value);
  if (found !== undefined) return found;
  throw new InputError(path, `must be one of ${known.join(', ')}, found ${shown(value)}`);
}

/** The names of the states, by their numbers. */
export const starvationNames: readonly StarvationState[] = [
  'non_starving',
  'starving',
  'aggressively_starving',
];

/** The number of a state: docs/reference/policies/fair-share.md §8.1, "The old state". */
export function starvationAt(value: unknown, path: string, starvingSince: number): number {
  if (isAbsent(value)) return Number.isNaN(starvingSince) ? NON_STARVING : NON_STARVING + 1;
  return starvationNames.indexOf(choiceAt(value, path, 'non_starving', starvationNames));
}

/** Numbers things by their ids, which are distinct, in UTF-16 order. */
export function orderById(given: readonly string[]): {
  ids: string[];
  /** By id. */
  number: Map<string, number>;
  /** By place in the input. */
  numberOf: Int32Array;
  /** The place in the input by number. */
  places: Int32Array;
} {
  const places = Int32Array.from(given.keys()).sort((a, b) => (given[a]! < given[b]! ? -1 : 1));
  const numberOf = new Int32Array(given.length);
  places.forEach((place, number) => {
    numberOf[place] = number;
  });
  const ids = Array.from(places, (place) => given[place]!);
  return { ids, number: new Map(ids.map((id, i) => [id, i])), numberOf, places };
}
