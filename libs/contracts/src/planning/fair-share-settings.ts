import { InputError } from '../input-error.js';
import {
  amounts,
  flag,
  milliseconds,
  numberFrom,
  object,
  oneOf,
  type ReadSettingsOf,
  someOf,
  textThat,
} from './setting-schema.js';
import { protect } from './shared-settings.js';

const schema = {
  explain: flag(false),
  protect,
  /** Durations are whole milliseconds. */
  fairShareStarvationTimeout: milliseconds(30_000, 0),
  /** 0 to 1. */
  fairShareStarvationTolerance: numberFrom(0.8, [0, 1], 'a number from 0 to 1'),
  enableAggressiveStarvation: flag(false),
  allowAggressivePreemption: flag(true),
  nonPreemptibleResourceUsageThreshold: amounts,
  allocationPreemptionTimeout: milliseconds(10_000, 0),
  /** At least `fairShareStarvationTimeout`. */
  fairShareAggressiveStarvationTimeout: milliseconds(120_000, 0),
  /** Above 0. */
  preemptionSatisfactionThreshold: numberFrom(1, [Number.MIN_VALUE, Number.MAX_VALUE], 'a number above 0'),
  /** At most `preemptionSatisfactionThreshold`. */
  aggressivePreemptionSatisfactionThreshold: numberFrom(0.2, [0, Number.MAX_VALUE], 'a number, at least 0'),
  preemptiveSchedulingBackoff: milliseconds(5000, 0),
  allowedNodeResourcesOvercommitDuration: milliseconds(15_000, 0),
  considerAllocationOnFairShareBoundPreemptible: flag(true),
  enablePoolStarvation: flag(true),
  schedulingPreemptionPriorityScope: oneOf(['operation_and_ancestors', 'operation_only']),
  allowPreemptionFromStarvingOperations: flag(false),
  allowAggressivePreemptionForGangOperations: flag(true),
  /** At least 1. */
  allocationCountPreemptionTimeoutCoefficient: numberFrom(1, [1, Number.MAX_VALUE], 'a number, at least 1'),
  enableAbsoluteFairShareStarvationTolerance: flag(false),
  enableStepFunctionForGangOperations: flag(false),
  mainResource: textThat(
    'vcore',
    (value): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined),
    'the name of a resource type, such as "vcore"',
  ),
  bestAllocationShare: flag(false),
  fifoPoolSchedulingOrder: oneOf(['satisfaction', 'fifo']),
  aggressiveStageFirst: flag(false),
  /** Kinds of reasons to act. */
  reasons: someOf(['starvation', 'resource-limits', 'overcommit']),
};

const settings = object(schema);

/** The settings of `fair-share` with every default in its place. docs/reference/policies/fair-share.md §3 */
export type ReadFairShareSettings = ReadSettingsOf<typeof schema>;

/** Reads the settings object of a plan. Throws InputError with the path `settings.<name>`. */
export function readFairShareSettings(input: unknown): ReadFairShareSettings {
  const read = settings(input, 'settings');
  refuseContradictions(read);
  return read;
}

/**
 * Checks settings that override unknown ones: a contradiction counts only between two given settings.
 *
 * @throws InputError with the path `settings.<name>`
 */
export function readSomeFairShareSettings(given: Readonly<Record<string, unknown>>): ReadFairShareSettings {
  const { fairShareStarvationTimeout = 0 } = given;
  const leastContradicting = {
    fairShareStarvationTimeout: 0,
    fairShareAggressiveStarvationTimeout: fairShareStarvationTimeout,
    preemptionSatisfactionThreshold: Number.MAX_VALUE,
    aggressivePreemptionSatisfactionThreshold: 0,
  };
  return readFairShareSettings({ ...leastContradicting, ...given });
}

/** For contradicting settings the path is that of the aggressive one. */
function refuseContradictions(read: ReadFairShareSettings): void {
  const contradiction = (aggressive: keyof ReadFairShareSettings, what: string): InputError =>
    new InputError(`settings.${aggressive}`, `it is ${read[aggressive]}; it must be ${what}`);
  if (read.aggressivePreemptionSatisfactionThreshold > read.preemptionSatisfactionThreshold) {
    throw contradiction(
      'aggressivePreemptionSatisfactionThreshold',
      `at most preemptionSatisfactionThreshold, which is ${read.preemptionSatisfactionThreshold}`,
    );
  }
  if (read.fairShareAggressiveStarvationTimeout < read.fairShareStarvationTimeout) {
    throw contradiction(
      'fairShareAggressiveStarvationTimeout',
      `at least fairShareStarvationTimeout, which is ${read.fairShareStarvationTimeout}`,
    );
  }
}
