import { isDeepStrictEqual } from 'node:util';
import { InputError, PolicyRegistry, readFairShareSettings, readIntraQueueSettings } from '#contracts';
import type { Place, PolicyChange, ValueChange } from '#contracts/api';
import { at, describe, type Field } from './field.js';
import { plainValue } from './plain-value.js';
import type { Problems } from './problems.js';

/** In the form of `settings` of plans: absent ones have the default of their policy. */
export type PolicySettings = { readonly [setting: string]: unknown };

/**
 * The policies of a partition with their settings. An absent policy does not run in the partition; one with `{}` runs with its defaults.
 * docs/reference/configuration.md, "Policies of a partition"
 */
export type PartitionPolicies = Readonly<Record<string, PolicySettings>>;

/** A policy that a configuration can name for a partition. */
export interface ConfiguredPolicy {
  readonly name: string;
  /** Settings with every default in its place. @throws InputError with a path below `settings` */
  readSettings(given: PolicySettings): object;
  /** Whether its rounds take at once what is above the limit of a queue, without a clock. Absent: never. */
  enforcesLimits?(settings: PolicySettings): boolean;
}

/**
 * The policies that a configuration can set for a partition; a quota decrease is switched by `quotaPreemptionEnabled`.
 * docs/development.md, "Adding a policy"
 */
export const configuredPolicies = new PolicyRegistry<ConfiguredPolicy>(
  { name: 'intra-queue', readSettings: readIntraQueueSettings },
  {
    name: 'fair-share',
    readSettings: readFairShareSettings,
    enforcesLimits: ({ reasons }) => !Array.isArray(reasons) || reasons.includes('resource-limits'),
  },
);

/** Whether rounds of one of the policies take at once what is above the limit of a queue. */
export const enforcesLimits = (policies: PartitionPolicies): boolean =>
  Object.entries(policies).some(([name, settings]) =>
    configuredPolicies.find(name)?.enforcesLimits?.(settings),
  );

/** `policies` of a partition: a mapping of policies to their settings. */
export function readPolicies(field: Field | undefined, path: string, problems: Problems): PartitionPolicies {
  if (field === undefined) return {};
  if (field.kind !== 'mapping') {
    const wanted = `a mapping is expected here, such as {intra-queue: {maxAllowableLimit: 0.2}}`;
    problems.error(path, `${wanted}, not ${describe(field)}`, field);
    return {};
  }
  const policies: Record<string, PolicySettings> = {};
  for (const [name, { key, value }] of field.entries) {
    const policy = configuredPolicies.find(name);
    if (policy === undefined) {
      const known = configuredPolicies.names.join(' and ');
      problems.error(at(path, name), `unknown policy; ${known} can be set here`, key);
      continue;
    }
    const settings = readSettingsOf(value, at(path, name), problems);
    if (settings === undefined) continue;
    checkSettings(policy, settings, problems, (setting) => ({
      path: at(at(path, name), setting),
      place: placeOf(value, setting) ?? key,
    }));
    policies[name] = settings;
  }
  return policies;
}

function readSettingsOf(field: Field, path: string, problems: Problems): PolicySettings | undefined {
  const before = problems.count;
  const settings = plainValue(field, path, problems) ?? {};
  if (problems.count > before) return undefined;
  if (typeof settings === 'object' && !Array.isArray(settings)) return settings as PolicySettings;
  problems.error(path, `settings are a mapping, {} for the defaults, not ${describe(field)}`, field);
  return undefined;
}

/** @param where position of the first name of the invalid setting, `''` for the settings as a whole. */
export function checkSettings(
  policy: ConfiguredPolicy,
  settings: PolicySettings,
  problems: Problems,
  where: (setting: string) => { path: string; place: Place },
): void {
  try {
    policy.readSettings(settings);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { path, place } = where(/^settings\.([^.[]+)/.exec(error.path)?.[1] ?? '');
    problems.error(path, error.message, place);
  }
}

function placeOf(settings: Field, setting: string): Place | undefined {
  return settings.kind === 'mapping' ? settings.entries.get(setting)?.value : undefined;
}

export function policyChanges(before: PartitionPolicies, after: PartitionPolicies): PolicyChange[] {
  return configuredPolicies.names.flatMap((policy): PolicyChange[] => {
    const [old, now] = [before[policy], after[policy]];
    if (old === undefined && now === undefined) return [];
    if (old === undefined) return [{ policy, change: 'starts', settings: [] }];
    if (now === undefined) return [{ policy, change: 'ends', settings: [] }];
    const settings = valueChanges(old, now);
    return settings.length === 0 ? [] : [{ policy, change: 'settings', settings }];
  });
}

/** By name. */
export function valueChanges(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): ValueChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name) => {
    const [from, to] = [before[name], after[name]];
    if (isDeepStrictEqual(from, to)) return [];
    return [{ name, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }];
  });
}
