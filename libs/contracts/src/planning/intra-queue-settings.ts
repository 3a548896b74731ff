import {
  amounts,
  flag,
  type GivenSettingsOf,
  milliseconds,
  numberFrom,
  object,
  oneOf,
  type ReadSettingsOf,
  textThat,
} from './setting-schema.js';
import { protect } from './shared-settings.js';

/** The kind of inversion to correct: a request waits for a less important application, or for a user over its limit. */
export type PreemptionOrderPolicy = 'userlimit-first' | 'priority-first';

const share = (absent: number) => numberFrom(absent, [0, 1], 'a number from 0 to 1');

const schema = {
  explain: flag(false),
  protect,
  enabled: flag(true),
  /** Case-insensitive; `_` is equal to `-`. */
  preemptionOrderPolicy: textThat<PreemptionOrderPolicy, string>(
    'userlimit-first',
    preemptionOrderPolicyOf,
    '"userlimit-first" or "priority-first"',
  ),
  /** Share of a queue's guaranteed amount that one round may take, 0 to 1. */
  maxAllowableLimit: share(0.2),
  minimumThreshold: numberFrom(0.5, [0, Number.MAX_VALUE], 'a number, at least 0'),
  conservativeDrf: flag(true),
  /** Share of the cluster that one round may take, 0 to 1. */
  totalPreemptionPerRound: share(0.1),
  /** Milliseconds from the notification to the kill. */
  maxWaitBeforeKill: milliseconds(15_000, 0),
  /** Milliseconds between rounds. */
  monitoringInterval: milliseconds(3000, 1),
  observeOnly: flag(false),
  resourceCalculator: oneOf(['default', 'dominant']),
  minimumAllocation: amounts,
  /** Milliseconds during which an application that lost an allocation is not chosen again; 0 = off. */
  cooldown: milliseconds(0, 0),
  fitAware: flag(false),
};

const settings = object(schema);

/** The settings of `intra-queue` with every default in its place. docs/reference/policies/intra-queue.md, "Settings". */
export type ReadIntraQueueSettings = ReadSettingsOf<typeof schema>;

/** Same as given: absent and null mean the default. */
export type IntraQueueSettings = GivenSettingsOf<typeof schema>;

export type ResourceCalculator = ReadIntraQueueSettings['resourceCalculator'];

/**
 * Reads the settings object of an in-queue plan. Absent and null mean the default, also for the whole object. Throws
 * InputError with the path `settings.<name>`.
 */
export function readIntraQueueSettings(input: unknown): ReadIntraQueueSettings {
  return settings(input, 'settings');
}

/** An order policy in any accepted spelling; undefined for any other value. */
export function preemptionOrderPolicyOf(value: unknown): PreemptionOrderPolicy | undefined {
  if (typeof value !== 'string') return undefined;
  const name = value.toLowerCase().replaceAll('_', '-');
  return name === 'userlimit-first' || name === 'priority-first' ? name : undefined;
}
