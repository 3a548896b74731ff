import { ageFrom, disruptionBudgets, fit, gangs, guaranteedTypes, miss } from './queue-settings.js';
import {
  flag,
  type GivenSettingsOf,
  object,
  oneOf,
  type ReadSettingsOf,
  wholeNumber,
} from './setting-schema.js';
import { longestSeconds, ownerBudgets, protect, upToLongest } from './shared-settings.js';

const schema = {
  explain: flag(false),
  protect,
  victimOrder: oneOf(['preference', 'closest-match']),
  nodeAware: flag(false),
  fit,
  miss,
  guaranteedTypes,
  feasibility: oneOf(['best-effort', 'all-or-nothing']),
  // docs/reference/policies/victim-care.md §1
  minRunSeconds: wholeNumber(0, [0, longestSeconds], upToLongest),
  ageFrom,
  disruptionBudgets,
  ownerBudgets,
  gangs,
  timerPolicy: oneOf(['restart', 'keep-earliest', 'shift']),
  onRestart: oneOf(['keep', 'restart']),
  afterRun: oneOf(['reschedule', 'ignore']),
  /** The response to a queue above its quota without a remaining reason. */
  reconcile: oneOf(['notify', 'enforce']),
  /** Whether another run follows one that fell short, once what blocked it has changed. docs/reference/policies/quota-decrease.md §3.12 */
  retryUnblocked: flag(true),
  delayInheritance: flag(true),
  /** Whether a configuration may have guaranteed equal to max under a queue's own delay. */
  guaranteedEqualsMax: oneOf(['refuse', 'allow']),
  /** Undefined when absent or null: a plan then reads it as true, a timeline as false. */
  quotaPreemptionEnabled: flag(undefined),
};

const settings = object(schema);

/** The settings of `quota-decrease` with every default in its place. docs/reference/snapshot.md, "Settings". */
export type ReadDecreaseSettings = ReadSettingsOf<typeof schema>;

/** The settings of `quota-decrease` as given: absent and null mean the default. docs/reference/snapshot.md, "Settings". */
export type QuotaDecreaseSettings = GivenSettingsOf<typeof schema>;

/** The effect of a further quota change on a running timer. */
export type TimerPolicy = ReadDecreaseSettings['timerPolicy'];
export type OnRestart = ReadDecreaseSettings['onRestart'];
export type AfterRun = ReadDecreaseSettings['afterRun'];
export type GuaranteedEqualsMax = ReadDecreaseSettings['guaranteedEqualsMax'];

/**
 * Reads the settings object of a plan or a timeline: both accept and check the settings of the other. Absent and null
 * mean the default, also for the whole object. Throws InputError with the path `settings.<name>`.
 */
export function readDecreaseSettings(input: unknown): ReadDecreaseSettings {
  return settings(input, 'settings');
}
