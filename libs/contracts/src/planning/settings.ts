import { InputError } from '../input-error.js';
import type { AfterRun, OnRestart, TimerPolicy } from './plan.js';

/** Allocations that are never victims; matching one entry is enough. A queue covers everything below it. */
export interface ReadProtect {
  queues: readonly string[];
  applications: readonly string[];
  users: readonly string[];
  allocations: readonly string[];
  priorityAtLeast: number | null;
}

/** The settings of `quota-decrease` with every default in its place. docs/reference/snapshot.md, "Settings". */
export interface ReadSettings {
  explain: boolean;
  protect: ReadProtect;
  victimOrder: 'preference' | 'closest-match';
  nodeAware: boolean;
  fit: 'cover' | 'within';
  /** Whole percent, 0 to 100. */
  miss: number;
  feasibility: 'best-effort' | 'all-or-nothing';
  timerPolicy: TimerPolicy;
  onRestart: OnRestart;
  afterRun: AfterRun;
  delayInheritance: boolean;
  /** Undefined when absent or null: a plan then reads it as true, a timeline as false. */
  quotaPreemptionEnabled: boolean | undefined;
}

/** More names than this in one list of `protect` is taken for a mistake. */
const maxProtectedNames = 100_000;

/**
 * Reads the settings object of a plan or a timeline: both accept and check the settings of the other. Absent and null
 * mean the default, also for the whole object. Throws InputError with the path `settings.<name>`.
 */
export function readSettings(input: unknown): ReadSettings {
  const fields = readObject(input ?? {}, 'settings');
  const read: ReadSettings = {
    explain: flag(fields, 'explain') ?? false,
    protect: readProtect(fields.protect),
    victimOrder: oneOf(fields, 'victimOrder', ['preference', 'closest-match']),
    nodeAware: flag(fields, 'nodeAware') ?? false,
    fit: oneOf(fields, 'fit', ['cover', 'within']),
    miss: wholePercent(fields, 'miss'),
    feasibility: oneOf(fields, 'feasibility', ['best-effort', 'all-or-nothing']),
    timerPolicy: oneOf(fields, 'timerPolicy', ['restart', 'keep-earliest', 'shift']),
    onRestart: oneOf(fields, 'onRestart', ['keep', 'restart']),
    afterRun: oneOf(fields, 'afterRun', ['reschedule', 'ignore']),
    delayInheritance: flag(fields, 'delayInheritance') ?? true,
    quotaPreemptionEnabled: flag(fields, 'quotaPreemptionEnabled'),
  };
  refuseUnknown(fields, 'settings', Object.keys(read));
  return read;
}

type Fields = Record<string, unknown>;

function readProtect(input: unknown): ReadProtect {
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

function readObject(input: unknown, path: string): Fields {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new InputError(path, `${path} is ${shown(input)}; it has to be an object, {} for the defaults`);
  }
  return input as Fields;
}

function refuseUnknown(fields: Fields, path: string, known: string[]): void {
  for (const name of Object.keys(fields)) {
    if (!known.includes(name)) {
      throw new InputError(
        `${path}.${name}`,
        `${path} has no field ${shown(name)}; the known ones are ${known.join(', ')}`,
      );
    }
  }
}

function flag(fields: Fields, name: string): boolean | undefined {
  const value = fields[name] ?? undefined;
  if (value === undefined || typeof value === 'boolean') return value;
  throw new InputError(`settings.${name}`, `settings.${name} is ${shown(value)}; it has to be true or false`);
}

/** The first of `values` is the default. */
function oneOf<T extends string>(fields: Fields, name: string, values: readonly [T, ...T[]]): T {
  const value = fields[name] ?? values[0];
  const found = values.find((known) => known === value);
  if (found !== undefined) return found;
  throw new InputError(
    `settings.${name}`,
    `settings.${name} is ${shown(value)}; it has to be one of ${values.map((known) => `"${known}"`).join(', ')}`,
  );
}

function wholePercent(fields: Fields, name: string): number {
  const value = fields[name] ?? 0;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 100) return value;
  throw new InputError(
    `settings.${name}`,
    `settings.${name} is ${shown(value)}; it has to be a whole percent from 0 to 100`,
  );
}

function names(input: unknown, path: string): readonly string[] {
  const list = input ?? [];
  if (!Array.isArray(list))
    throw new InputError(path, `${path} is ${shown(list)}; it has to be a list of texts`);
  if (list.length > maxProtectedNames) {
    throw new InputError(path, `${path} has ${list.length} entries; at most ${maxProtectedNames} are read`);
  }
  list.forEach((name: unknown, i) => {
    if (typeof name !== 'string') {
      throw new InputError(`${path}[${i}]`, `${path}[${i}] is ${shown(name)}; it has to be a text`);
    }
  });
  return list as string[];
}

function priority(input: unknown, path: string): number | null {
  const value = input ?? null;
  if (value === null || (typeof value === 'number' && Number.isFinite(value))) return value;
  throw new InputError(path, `${path} is ${shown(value)}; it has to be a number, or null for none`);
}

/** A value as it can stand in a message: short, on one line. */
function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
