import { InputError } from '../input-error.js';
import { shown } from '../shown.js';
import type { AfterRun, OnRestart, TimerPolicy } from './plan.js';
import {
  type Fields,
  flag,
  oneOf,
  type ReadProtect,
  readObject,
  readProtect,
  refuseUnknown,
} from './setting-fields.js';

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
  /** What follows when a queue is found above its quota with no reason that still holds. */
  reconcile: 'notify' | 'enforce';
  delayInheritance: boolean;
  /** Undefined when absent or null: a plan then reads it as true, a timeline as false. */
  quotaPreemptionEnabled: boolean | undefined;
}

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
    reconcile: oneOf(fields, 'reconcile', ['notify', 'enforce']),
    delayInheritance: flag(fields, 'delayInheritance') ?? true,
    quotaPreemptionEnabled: flag(fields, 'quotaPreemptionEnabled'),
  };
  refuseUnknown(fields, 'settings', Object.keys(read));
  return read;
}

function wholePercent(fields: Fields, name: string): number {
  const value = fields[name] ?? 0;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 100) return value;
  throw new InputError(
    `settings.${name}`,
    `it is ${shown(value)}; it has to be a whole percent from 0 to 100`,
  );
}
