import { InputError } from '../input-error.js';
import { shown } from '../shown.js';
import type { Protect } from './plan.js';
import type { Resources } from './resources.js';
import {
  amounts,
  type Fields,
  flag,
  milliseconds,
  numberFrom,
  oneOf,
  type ReadProtect,
  readObject,
  readProtect,
  refuseUnknown,
} from './setting-fields.js';

/** What a plan may act on: the setting `reasons`. */
export type FairShareReasonKind = 'starvation' | 'resource-limits' | 'overcommit';

/** The settings of `fair-share` with every default in its place. docs/reference/policies/fair-share.md §3 */
export interface ReadFairShareSettings {
  explain: boolean;
  protect: ReadProtect;
  /** Durations are whole milliseconds. */
  fairShareStarvationTimeout: number;
  /** 0 to 1. */
  fairShareStarvationTolerance: number;
  enableAggressiveStarvation: boolean;
  allowAggressivePreemption: boolean;
  nonPreemptibleResourceUsageThreshold: Resources;
  allocationPreemptionTimeout: number;
  /** At least `fairShareStarvationTimeout`. */
  fairShareAggressiveStarvationTimeout: number;
  /** Above 0. */
  preemptionSatisfactionThreshold: number;
  /** At most `preemptionSatisfactionThreshold`. */
  aggressivePreemptionSatisfactionThreshold: number;
  preemptiveSchedulingBackoff: number;
  allowedNodeResourcesOvercommitDuration: number;
  considerAllocationOnFairShareBoundPreemptible: boolean;
  enablePoolStarvation: boolean;
  schedulingPreemptionPriorityScope: 'operation_and_ancestors' | 'operation_only';
  allowPreemptionFromStarvingOperations: boolean;
  allowAggressivePreemptionForGangOperations: boolean;
  /** At least 1. */
  allocationCountPreemptionTimeoutCoefficient: number;
  enableAbsoluteFairShareStarvationTolerance: boolean;
  enableStepFunctionForGangOperations: boolean;
  mainResource: string;
  bestAllocationShare: boolean;
  fifoPoolSchedulingOrder: 'satisfaction' | 'fifo';
  aggressiveStageFirst: boolean;
  reasons: readonly FairShareReasonKind[];
}

/** The same as they are given: what is absent or null has its default. docs/reference/snapshot.md, "Settings" */
export type FairShareSettings = {
  [name in Exclude<keyof ReadFairShareSettings, 'protect'>]?: ReadFairShareSettings[name] | null;
} & { protect?: Protect | null };

const reasonKinds = ['starvation', 'resource-limits', 'overcommit'] as const;

/** Reads the settings object of a plan. Throws InputError with the path `settings.<name>`. */
export function readFairShareSettings(input: unknown): ReadFairShareSettings {
  const fields = readObject(input ?? {}, 'settings');
  const read: ReadFairShareSettings = {
    explain: flag(fields, 'explain') ?? false,
    protect: readProtect(fields.protect),
    fairShareStarvationTimeout: milliseconds(fields, 'fairShareStarvationTimeout', 30_000, 0),
    fairShareStarvationTolerance: numberFrom(
      fields,
      'fairShareStarvationTolerance',
      0.8,
      [0, 1],
      'a number from 0 to 1',
    ),
    enableAggressiveStarvation: flag(fields, 'enableAggressiveStarvation') ?? false,
    allowAggressivePreemption: flag(fields, 'allowAggressivePreemption') ?? true,
    nonPreemptibleResourceUsageThreshold: amounts(fields, 'nonPreemptibleResourceUsageThreshold'),
    allocationPreemptionTimeout: milliseconds(fields, 'allocationPreemptionTimeout', 10_000, 0),
    fairShareAggressiveStarvationTimeout: milliseconds(
      fields,
      'fairShareAggressiveStarvationTimeout',
      120_000,
      0,
    ),
    preemptionSatisfactionThreshold: threshold(
      fields,
      'preemptionSatisfactionThreshold',
      1,
      Number.MIN_VALUE,
    ),
    aggressivePreemptionSatisfactionThreshold: threshold(
      fields,
      'aggressivePreemptionSatisfactionThreshold',
      0.2,
      0,
    ),
    preemptiveSchedulingBackoff: milliseconds(fields, 'preemptiveSchedulingBackoff', 5000, 0),
    allowedNodeResourcesOvercommitDuration: milliseconds(
      fields,
      'allowedNodeResourcesOvercommitDuration',
      15_000,
      0,
    ),
    considerAllocationOnFairShareBoundPreemptible:
      flag(fields, 'considerAllocationOnFairShareBoundPreemptible') ?? true,
    enablePoolStarvation: flag(fields, 'enablePoolStarvation') ?? true,
    schedulingPreemptionPriorityScope: oneOf(fields, 'schedulingPreemptionPriorityScope', [
      'operation_and_ancestors',
      'operation_only',
    ]),
    allowPreemptionFromStarvingOperations: flag(fields, 'allowPreemptionFromStarvingOperations') ?? false,
    allowAggressivePreemptionForGangOperations:
      flag(fields, 'allowAggressivePreemptionForGangOperations') ?? true,
    allocationCountPreemptionTimeoutCoefficient: numberFrom(
      fields,
      'allocationCountPreemptionTimeoutCoefficient',
      1,
      [1, Number.MAX_VALUE],
      'a number, at least 1',
    ),
    enableAbsoluteFairShareStarvationTolerance:
      flag(fields, 'enableAbsoluteFairShareStarvationTolerance') ?? false,
    enableStepFunctionForGangOperations: flag(fields, 'enableStepFunctionForGangOperations') ?? false,
    mainResource: resourceType(fields, 'mainResource', 'vcore'),
    bestAllocationShare: flag(fields, 'bestAllocationShare') ?? false,
    fifoPoolSchedulingOrder: oneOf(fields, 'fifoPoolSchedulingOrder', ['satisfaction', 'fifo']),
    aggressiveStageFirst: flag(fields, 'aggressiveStageFirst') ?? false,
    reasons: reasons(fields, 'reasons'),
  };
  refuseUnknown(fields, 'settings', Object.keys(read));
  refuseContradictions(read);
  return read;
}

function threshold(fields: Fields, name: string, absent: number, least: number): number {
  const what = least > 0 ? 'a number above 0' : 'a number, at least 0';
  return numberFrom(fields, name, absent, [least, Number.MAX_VALUE], what);
}

/** Where two settings contradict each other the path is that of the aggressive one. */
function refuseContradictions(read: ReadFairShareSettings): void {
  const contradiction = (aggressive: keyof ReadFairShareSettings, what: string): InputError =>
    new InputError(
      `settings.${aggressive}`,
      `settings.${aggressive} is ${read[aggressive]}; it has to be ${what}`,
    );
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

function resourceType(fields: Fields, name: string, absent: string): string {
  const value = fields[name] ?? absent;
  if (typeof value === 'string' && value !== '') return value;
  throw new InputError(
    `settings.${name}`,
    `it is ${shown(value)}; it has to be the name of a resource type, such as "vcore"`,
  );
}

function reasons(fields: Fields, name: string): readonly FairShareReasonKind[] {
  const list = fields[name] ?? reasonKinds;
  const path = `settings.${name}`;
  const wanted = reasonKinds.map((kind) => `"${kind}"`).join(', ');
  if (!Array.isArray(list)) {
    throw new InputError(path, `it is ${shown(list)}; it has to be a list of some of ${wanted}`);
  }
  for (const kind of list as readonly unknown[]) {
    if (!reasonKinds.some((known) => known === kind)) {
      throw new InputError(path, `it has ${shown(kind)}; it has to be a list of some of ${wanted}`);
    }
  }
  return list as FairShareReasonKind[];
}
