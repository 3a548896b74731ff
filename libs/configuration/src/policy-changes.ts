import { isDeepStrictEqual } from 'node:util';
import type { PolicyChange, ValueChange } from '#contracts/api';
import { configuredPolicies, type PartitionPolicies } from './policies.js';

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
