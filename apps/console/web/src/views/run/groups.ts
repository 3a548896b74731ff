import { wordsOfRule } from '@curtail/planning/words';
import type { VictimGrouping } from './run-filters.js';

interface Grouped {
  queue: string;
  rule?: string | null | undefined;
  owner?: string | null | undefined;
  node?: string | null | undefined;
}

export interface Group<T> {
  name: string;
  of: T[];
}

/** Victims in groups, the largest first, each by rank as given. */
export function groupsOf<T extends Grouped>(victims: readonly T[], by: VictimGrouping): Group<T>[] {
  const groups = new Map<string, T[]>();
  for (const victim of victims) {
    const name = nameOf(victim, by);
    const group = groups.get(name);
    if (group) group.push(victim);
    else groups.set(name, [victim]);
  }
  return [...groups]
    .map(([name, of]) => ({ name, of }))
    .sort((a, b) => b.of.length - a.of.length || (a.name < b.name ? -1 : 1));
}

function nameOf({ queue, rule, owner, node }: Grouped, by: VictimGrouping): string {
  if (by === 'queue') return queue;
  if (by === 'node') return node ?? 'node not recorded';
  if (by === 'owner') return owner ?? 'owner not known';
  return rule ? wordsOfRule(rule) : 'rule not recorded';
}
