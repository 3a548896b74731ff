import { protect } from './protect.js';
import {
  flag,
  type GivenSettingsOf,
  object,
  oneOf,
  type ReadSettingsOf,
  wholeNumber,
} from './setting-schema.js';

const schema = {
  explain: flag(false),
  protect,
  victimOrder: oneOf(['preference', 'closest-match']),
  nodeAware: flag(false),
  fit: oneOf(['cover', 'within']),
  /** Whole percent, 0 to 100. */
  miss: wholeNumber(0, [0, 100], 'a whole percent from 0 to 100'),
  feasibility: oneOf(['best-effort', 'all-or-nothing']),
  timerPolicy: oneOf(['restart', 'keep-earliest', 'shift']),
  onRestart: oneOf(['keep', 'restart']),
  afterRun: oneOf(['reschedule', 'ignore']),
  /** What follows when a queue is found above its quota with no reason that still holds. */
  reconcile: oneOf(['notify', 'enforce']),
  delayInheritance: flag(true),
  /** Undefined when absent or null: a plan then reads it as true, a timeline as false. */
  quotaPreemptionEnabled: flag(undefined),
};

const settings = object(schema);

/** The settings of `quota-decrease` with every default in its place. docs/reference/snapshot.md, "Settings". */
export type ReadSettings = ReadSettingsOf<typeof schema>;

/** The settings of `quota-decrease` as they are given: what is absent or null has its default. docs/reference/snapshot.md, "Settings". */
export type QuotaDecreaseSettings = GivenSettingsOf<typeof schema>;

/** What a timer does when the quota changes again before it has fired. */
export type TimerPolicy = ReadSettings['timerPolicy'];
export type OnRestart = ReadSettings['onRestart'];
export type AfterRun = ReadSettings['afterRun'];

/**
 * Reads the settings object of a plan or a timeline: both accept and check the settings of the other. Absent and null
 * mean the default, also for the whole object. Throws InputError with the path `settings.<name>`.
 */
export function readSettings(input: unknown): ReadSettings {
  return settings(input, 'settings');
}
