import type { QueueInForce } from '#clusters/planning-view';
import { unknownTypeText } from '#configuration';
import { InputError, nearestOf, ofQueue } from '#contracts';
import type { ConfigurationWarning } from '#contracts/api';
import type { ProposedQuota } from './proposed-quotas.js';

/**
 * The warnings about types that nothing in the cluster has, as a configuration with these limits would get them.
 *
 * @param types those of allocations, pending requests and nodes; empty: they are not known.
 * @param at the field of the first quota.
 * @throws InputError for a type that no queue names either: a misspelt limit has no victims, which would pass for harmless.
 */
export function typeWarnings(
  inForce: readonly QueueInForce[],
  quotas: readonly ProposedQuota[],
  types: ReadonlySet<string>,
  at: string,
): ConfigurationWarning[] {
  const known = types.size > 0 ? types : undefined;
  const named = new Set(
    inForce.flatMap(({ max, guaranteed }) => [...Object.keys(max ?? {}), ...Object.keys(guaranteed ?? {})]),
  );
  return quotas.flatMap(({ queue, max }, index) =>
    Object.keys(max).flatMap((type): ConfigurationWarning[] => {
      const message = unknownTypeText(type, known);
      if (message === undefined) return [];
      const path = `${at}[${index}].max.${type}`;
      if (known && !named.has(type)) throw new InputError(path, misspelt(type, [...known, ...named]));
      return [{ code: 'unknown-resource-type', path, message, about: ofQueue(queue) }];
    }),
  );
}

function misspelt(type: string, known: readonly string[]): string {
  const nothing = `no allocation, node or quota of the partition has the type ${type}`;
  const meant =
    type === 'cpu' ? 'vcore' : (nearestOf(type, known) ?? known.find((name) => name.startsWith(type)));
  return meant === undefined
    ? `${nothing}: write one of ${[...new Set(known)].sort().slice(0, 10).join(', ')}`
    : `${nothing}; did you mean ${meant}?`;
}
