import { type AfterRun, InputError, type OnRestart, type TimerPolicy } from '@curtail/contracts';
import { arrayAt, booleanAt, type Fields, isAbsent, numberAt, objectAt } from './fields.js';
import { shown } from './shown.js';

/** Allocations that are never victims; matching one entry is enough. */
export interface ProtectSettings {
  /** A queue covers everything below it. */
  readonly queues: readonly string[];
  readonly applications: readonly string[];
  readonly users: readonly string[];
  readonly allocations: readonly string[];
  readonly priorityAtLeast: number | null;
}

/** The settings of the policy `quota-decrease` with every default filled in. */
export interface Settings {
  readonly explain: boolean;
  readonly protect: ProtectSettings;
  readonly victimOrder: 'preference' | 'closest-match';
  readonly nodeAware: boolean;
  readonly fit: 'cover' | 'within';
  /** Whole percent, 0 to 100. */
  readonly miss: number;
  readonly feasibility: 'best-effort' | 'all-or-nothing';
  readonly timerPolicy: TimerPolicy;
  readonly onRestart: OnRestart;
  readonly afterRun: AfterRun;
  readonly delayInheritance: boolean;
  /** null = not said: on in a plan, off in a timeline. */
  readonly quotaPreemptionEnabled: boolean | null;
}

type Reader<T> = (value: unknown, path: string) => T;

const READERS: { [Name in keyof Settings]: Reader<Settings[Name]> } = {
  explain: (value, path) => booleanAt(value, path, false),
  protect: readProtect,
  victimOrder: oneOf('preference', 'closest-match'),
  nodeAware: (value, path) => booleanAt(value, path, false),
  fit: oneOf('cover', 'within'),
  miss: readMiss,
  feasibility: oneOf('best-effort', 'all-or-nothing'),
  timerPolicy: oneOf('restart', 'keep-earliest', 'shift'),
  onRestart: oneOf('keep', 'restart'),
  afterRun: oneOf('reschedule', 'ignore'),
  delayInheritance: (value, path) => booleanAt(value, path, true),
  quotaPreemptionEnabled: (value, path) => (isAbsent(value) ? null : booleanAt(value, path, true)),
};

const PROTECT_READERS: { [Name in keyof ProtectSettings]: Reader<ProtectSettings[Name]> } = {
  queues: readNames,
  applications: readNames,
  users: readNames,
  allocations: readNames,
  priorityAtLeast: (value, path) => (isAbsent(value) ? null : numberAt(value, path)),
};

/**
 * Reads the settings of `quota-decrease`, for plans and for clocks alike (docs/reference/snapshot.md, "Settings"). What is
 * absent or null gets its default; what this returns may be read again.
 *
 * @throws InputError for an unknown setting and for a value outside its list or range, with `settings.<name>` as the path.
 */
export function readSettings(input?: unknown): Settings {
  const given = isAbsent(input) ? {} : objectAt(input, 'settings');
  return readAll(READERS, given, 'settings');
}

function readAll<T extends object>(
  readers: { [Name in keyof T]: Reader<T[Name]> },
  given: Fields,
  path: string,
): T {
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(readers, name)) continue;
    throw new InputError(`${path}.${name}`, `is unknown here; known are ${Object.keys(readers).join(', ')}`);
  }
  const read: Partial<T> = {};
  for (const name of Object.keys(readers) as (keyof T & string)[]) {
    read[name] = readers[name](given[name], `${path}.${name}`);
  }
  return read as T;
}

/** The first one is the default. */
function oneOf<T extends string>(...choices: [T, ...T[]]): Reader<T> {
  return (value, path) => {
    if (isAbsent(value)) return choices[0];
    const choice = choices.find((known) => known === value);
    if (choice === undefined) {
      throw new InputError(path, `must be ${choices.map(shown).join(' or ')}, found ${shown(value)}`);
    }
    return choice;
  };
}

function readMiss(value: unknown, path: string): number {
  if (isAbsent(value)) return 0;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > 100) {
    throw new InputError(path, `must be a whole percent from 0 to 100, found ${shown(value)}`);
  }
  return value;
}

function readNames(value: unknown, path: string): readonly string[] {
  if (isAbsent(value)) return [];
  return arrayAt(value, path).map((name, i) => {
    if (typeof name !== 'string')
      throw new InputError(`${path}[${i}]`, `must be a text, found ${shown(name)}`);
    return name;
  });
}

function readProtect(value: unknown, path: string): ProtectSettings {
  return readAll(PROTECT_READERS, isAbsent(value) ? {} : objectAt(value, path), path);
}
