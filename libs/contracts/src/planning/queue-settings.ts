import { InputError } from '../input-error.js';
import { isObject } from '../is-object.js';
import { chainFromRoot } from '../queue-path.js';
import {
  type GivenSettingsOf,
  numberOrNone,
  object,
  oneOf,
  type ReadSettingsOf,
  required,
  type SettingType,
  texts,
  wholeNumber,
} from './setting-schema.js';
import { countedOwnerBudgets, maxProtectedNames } from './shared-settings.js';

const protectedWork = object({
  applications: texts(maxProtectedNames),
  users: texts(maxProtectedNames),
  allocations: texts(maxProtectedNames),
  priorityAtLeast: numberOrNone,
});

/** The work of a queue and of all below it that is never evicted: all of it, or what matches one entry. */
export type QueueProtection = boolean | ReturnType<typeof protectedWork>;

const protectOfQueue: SettingType<QueueProtection> = (value, path) => {
  if (typeof value === 'boolean') return value;
  if (isObject(value)) return protectedWork(value, path);
  throw new InputError(
    path,
    'it must be true (all work of the queue), false, or an object such as {"users": ["ann"], "priorityAtLeast": 100}',
  );
};

/** Of a window: the log has the time of each. */
export const mostTurns = 100;

const turnsOfMax = object({
  turns: required(wholeNumber(1, [1, mostTurns], `a whole number from 1 to ${mostTurns}`)),
  windowSeconds: required(wholeNumber(1, [1, 31 * 86_400], 'whole seconds, from 1 to 2678400 (31 days)')),
  stableSeconds: wholeNumber(0, [0, 31 * 86_400], 'whole seconds, from 0 to 2678400 (31 days)'),
});

/** When the max of a queue counts as flapping; false: never. docs/reference/policies/quota-decrease.md §3.11 */
export type Flapping = false | ReturnType<typeof turnsOfMax>;

const flappingOfQueue: SettingType<Flapping> = (value, path) => {
  if (value === false) return value;
  if (isObject(value)) return turnsOfMax(value, path);
  throw new InputError(
    path,
    'it must be false (off), or an object such as {"turns": 4, "windowSeconds": 3600}',
  );
};

/** The limits of settings that are whole numbers: of a queue, and of the environment (libs/runtime). */
export const rangesOfSettings = {
  approveAboveVictims: { min: 0, max: 1_000_000 },
  approveAbovePercent: { min: 0, max: 100 },
  victimsPerSecond: { min: 1, max: 10_000 },
  graceSeconds: { min: 0, max: 86_400 },
  ceilingPerHour: { min: 0, max: 1_000_000 },
  ceilingPerConfiguration: { min: 0, max: 1_000_000 },
  ceilingClusterPercent: { min: 0, max: 100 },
  partitionVictimsPerSecond: { min: 1, max: 10_000 },
  extensions: { min: 0, max: 100 },
  extensionSeconds: { min: 1, max: 86_400 },
} as const;

const whole = ({ min, max }: { min: number; max: number }) =>
  wholeNumber(min, [min, max], `a whole number from ${min} to ${max}`);

/** Whole percent, 0 to 100. */
export const miss = wholeNumber(0, [0, 100], 'a whole percentage from 0 to 100');
export const fit = oneOf(['cover', 'within']);
/** docs/reference/policies/victim-care.md §1 */
export const ageFrom = oneOf(['start', 'checkpoint']);
export const disruptionBudgets = oneOf(['respect', 'last', 'ignore']);
export const gangs = oneOf(['whole', 'spare', 'ignore']);
/** Whether guaranteed amounts of all types keep work, or only those of types that have to be freed. docs/reference/policies/quota-decrease.md §6.1 */
export const guaranteedTypes = oneOf(['all', 'lowered']);
/** Whether owners are notified in advance. */
export const foresightValues = ['on', 'off'] as const;

const schema = {
  miss,
  fit,
  guaranteedTypes,
  ageFrom,
  disruptionBudgets,
  ownerBudgets: countedOwnerBudgets,
  gangs,
  protect: protectOfQueue,
  approveAboveVictims: whole(rangesOfSettings.approveAboveVictims),
  approveAbovePercent: whole(rangesOfSettings.approveAbovePercent),
  victimsPerSecond: whole(rangesOfSettings.victimsPerSecond),
  graceSeconds: whole(rangesOfSettings.graceSeconds),
  flapping: flappingOfQueue,
  ceilingPerHour: whole(rangesOfSettings.ceilingPerHour),
  ceilingPerConfiguration: whole(rangesOfSettings.ceilingPerConfiguration),
  ceilingClusterPercent: whole(rangesOfSettings.ceilingClusterPercent),
  partitionVictimsPerSecond: whole(rangesOfSettings.partitionVictimsPerSecond),
  extensions: whole(rangesOfSettings.extensions),
  extensionSeconds: whole(rangesOfSettings.extensionSeconds),
  foresight: oneOf(foresightValues),
};

/** A setting that a queue may have, for itself and all below it; those of partitions only the root. docs/reference/configuration.md, "Settings of a queue" */
export type QueueSetting = keyof typeof schema;
export type QueueSettings = GivenSettingsOf<typeof schema>;
type ReadQueueSettings = ReadSettingsOf<typeof schema>;

export const queueSettings = Object.keys(schema) as readonly QueueSetting[];

/** The property of a queue that sets a setting, in configurations and in snapshots. */
export const propertyOf = <N extends QueueSetting>(name: N): `curtail.${N}` => `curtail.${name}`;

/** @throws InputError at `path`, saying what would be right. */
export function readQueueSetting<N extends QueueSetting>(
  name: N,
  value: unknown,
  path: string,
): ReadQueueSettings[N] {
  return (schema[name] as SettingType<ReadQueueSettings[N]>)(value, path);
}

/** The property by which a configuration freezes a queue and all below it. Operators set freezes of their own. docs/how-to/freeze.md */
export const freezeProperty = 'curtail.freeze';

/** A queue with its properties, those of a configuration or of a snapshot. */
export interface QueueWithProperties {
  path: string;
  properties?: Readonly<Record<string, unknown>> | null;
}

/**
 * Some settings for a queue: of the queue itself, else of the nearest queue above that sets them, else those of the installation.
 * Without such properties they are those of the installation, unchanged. What a queue protects is added up instead, and is no part of this.
 *
 * @param names the settings to find.
 * @param queues at least the queue and those above it, with their properties.
 */
export function settingsOfQueue<N extends Exclude<QueueSetting, 'protect'>, S extends Pick<QueueSettings, N>>(
  names: readonly N[],
  installation: S,
  queues: Iterable<QueueWithProperties>,
  queue: string,
): S {
  const chain = new Set(chainFromRoot(queue));
  const above = [...queues]
    .filter(({ path, properties }) => properties && chain.has(path))
    .sort((a, b) => a.path.length - b.path.length);
  const found: Partial<Record<N, unknown>> = {};
  for (const { properties } of above) {
    for (const name of names) {
      const value = properties?.[propertyOf(name)];
      // The values are checked where they are used: a snapshot may have properties that no configuration has.
      if (value !== undefined && value !== null) found[name] = value;
    }
  }
  return { ...installation, ...found };
}

/**
 * When the max of queues counts as flapping, by the nearest queue that sets it. Fast also for many queues.
 *
 * @param queues at least the queues and those above them, with their properties.
 */
export function flappingOf(queues: Iterable<QueueWithProperties>): (queue: string) => Flapping {
  const property = propertyOf('flapping');
  const set = new Map<string, Flapping>();
  for (const { path, properties } of queues) {
    const value = properties?.[property];
    if (value !== undefined && value !== null) set.set(path, value as Flapping);
  }
  if (set.size === 0) return () => false;
  return (queue) => {
    const nearest = chainFromRoot(queue).findLast((path) => set.has(path));
    return nearest === undefined ? false : set.get(nearest)!;
  };
}

/** Those of plans; their values are recorded with each plan. */
export const settingsOfPlans = [
  'miss',
  'fit',
  'guaranteedTypes',
  'ageFrom',
  'disruptionBudgets',
  'ownerBudgets',
  'gangs',
] as const;
/** Those by which answers of owners are granted (docs/how-to/checkpoint-handshake.md). */
export const settingsOfAnswers = ['extensions', 'extensionSeconds'] as const;
/** Those by which runs are carried out; the executor reads them whenever it uses them. */
export const settingsOfRuns = [
  'approveAboveVictims',
  'approveAbovePercent',
  'victimsPerSecond',
  'graceSeconds',
] as const;

/** Those of an installation that sets none. */
export const defaultsOfRuns = {
  approveAboveVictims: 100,
  approveAbovePercent: 50,
  victimsPerSecond: 10,
  graceSeconds: 5,
} as const satisfies Record<(typeof settingsOfRuns)[number], number>;

/** Those of a whole partition, over all its runs: only its root queue may have them. docs/how-to/ceilings.md */
export const settingsOfPartitions = [
  'ceilingPerHour',
  'ceilingPerConfiguration',
  'ceilingClusterPercent',
  'partitionVictimsPerSecond',
] as const;
export type PartitionSetting = (typeof settingsOfPartitions)[number];

/** Whether a queue may have a setting. */
export function mayHaveSetting(queue: string, setting: string): boolean {
  return !queue.includes('.') || !(settingsOfPartitions as readonly string[]).includes(setting);
}
