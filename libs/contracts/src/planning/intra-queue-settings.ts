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

/** Which inversion is looked for: somebody waits for a less important application, or for a user over its limit. */
export type PreemptionOrderPolicy = 'userlimit-first' | 'priority-first';
export type ResourceCalculator = 'default' | 'dominant';

/**
 * Settings of the policy `intra-queue`; what is absent or null has its default. docs/reference/policies/intra-queue.md, "Settings".
 */
export interface IntraQueueSettings {
  explain?: boolean | null;
  protect?: Protect | null;
  enabled?: boolean | null;
  /** In any case, and `_` is as good as `-`. */
  preemptionOrderPolicy?: string | null;
  /** Share of a queue's guaranteed amount that one round may take, 0 to 1. */
  maxAllowableLimit?: number | null;
  minimumThreshold?: number | null;
  conservativeDrf?: boolean | null;
  /** Share of the cluster that one round may take, 0 to 1. */
  totalPreemptionPerRound?: number | null;
  /** Milliseconds from the notification to the kill. */
  maxWaitBeforeKill?: number | null;
  /** Milliseconds between rounds. */
  monitoringInterval?: number | null;
  observeOnly?: boolean | null;
  resourceCalculator?: ResourceCalculator | null;
  minimumAllocation?: Resources | null;
  /** Milliseconds in which an application that lost something is not hit again; 0 = off. */
  cooldown?: number | null;
  fitAware?: boolean | null;
}

/** The same with every default in its place. */
export interface ReadIntraQueueSettings {
  explain: boolean;
  protect: ReadProtect;
  enabled: boolean;
  preemptionOrderPolicy: PreemptionOrderPolicy;
  maxAllowableLimit: number;
  minimumThreshold: number;
  conservativeDrf: boolean;
  totalPreemptionPerRound: number;
  maxWaitBeforeKill: number;
  monitoringInterval: number;
  observeOnly: boolean;
  resourceCalculator: ResourceCalculator;
  minimumAllocation: Resources;
  cooldown: number;
  fitAware: boolean;
}

const SHARE = [0, 1] as const;

/**
 * Reads the settings object of an in-queue plan. Absent and null mean the default, also for the whole object. Throws
 * InputError with the path `settings.<name>`.
 */
export function readIntraQueueSettings(input: unknown): ReadIntraQueueSettings {
  const fields = readObject(input ?? {}, 'settings');
  const read: ReadIntraQueueSettings = {
    explain: flag(fields, 'explain') ?? false,
    protect: readProtect(fields.protect),
    enabled: flag(fields, 'enabled') ?? true,
    preemptionOrderPolicy: orderPolicy(fields),
    maxAllowableLimit: numberFrom(fields, 'maxAllowableLimit', 0.2, SHARE, 'a number from 0 to 1'),
    minimumThreshold: numberFrom(
      fields,
      'minimumThreshold',
      0.5,
      [0, Number.MAX_VALUE],
      'a number that is not below 0',
    ),
    conservativeDrf: flag(fields, 'conservativeDrf') ?? true,
    totalPreemptionPerRound: numberFrom(
      fields,
      'totalPreemptionPerRound',
      0.1,
      SHARE,
      'a number from 0 to 1',
    ),
    maxWaitBeforeKill: milliseconds(fields, 'maxWaitBeforeKill', 15_000, 0),
    monitoringInterval: milliseconds(fields, 'monitoringInterval', 3000, 1),
    observeOnly: flag(fields, 'observeOnly') ?? false,
    resourceCalculator: oneOf(fields, 'resourceCalculator', ['default', 'dominant']),
    minimumAllocation: amounts(fields, 'minimumAllocation'),
    cooldown: milliseconds(fields, 'cooldown', 0, 0),
    fitAware: flag(fields, 'fitAware') ?? false,
  };
  refuseUnknown(fields, 'settings', Object.keys(read));
  return read;
}

/** An order policy as it may be written; undefined for any other value. */
export function preemptionOrderPolicyOf(value: unknown): PreemptionOrderPolicy | undefined {
  if (typeof value !== 'string') return undefined;
  const name = value.toLowerCase().replaceAll('_', '-');
  return name === 'userlimit-first' || name === 'priority-first' ? name : undefined;
}

function orderPolicy(fields: Fields): PreemptionOrderPolicy {
  const value = fields.preemptionOrderPolicy ?? 'userlimit-first';
  const found = preemptionOrderPolicyOf(value);
  if (found !== undefined) return found;
  throw new InputError(
    'settings.preemptionOrderPolicy',
    `settings.preemptionOrderPolicy is ${shown(value)}; it has to be "userlimit-first" or "priority-first"`,
  );
}
