import type { components } from '#api-client';
import type { Amounts } from '../../parts/amounts.js';
import type { VictimGrouping } from './run-filters.js';

type Summary = components['schemas']['VictimSummary'];

/** How the victims of a group are asked for: `''`, those of which it is not known. */
export type Selection = Partial<Record<'owner' | 'application' | 'queue' | 'rule', string>>;

export interface VictimGroup {
  name: string;
  victims: number;
  /** Absent: not summed up. */
  resources?: Amounts | undefined;
  selection: Selection;
}

const kinds = { owner: 'owners', application: 'applications', queue: 'queues', rule: 'rules' } as const;

/** All victims of a run in groups as the server has counted them, the largest first, and those that are in none of these groups. */
export function groupsOf(
  summary: Summary,
  by: keyof typeof kinds,
  total: number,
): { groups: VictimGroup[]; more: { groups: number; victims: number } | undefined } {
  const { count, first } = summary[kinds[by]];
  const groups = first.map(({ name, code, victims, resources }): VictimGroup => {
    return { name, victims, resources, selection: { [by]: code ?? name } };
  });
  const others = total - groups.reduce((sum, { victims }) => sum + victims, 0);
  if (others <= 0) return { groups, more: undefined };
  if (count > first.length) return { groups, more: { groups: count - first.length, victims: others } };
  return {
    groups: [...groups, { name: `${by} not known`, victims: others, selection: { [by]: '' } }],
    more: undefined,
  };
}

/** The groupings that a run offers. Nodes are known of the plan alone, of which a page has only the first victims. */
export const groupingsOf = (all: readonly VictimGrouping[], isWhole: boolean): VictimGrouping[] =>
  all.filter((by) => by !== 'node' || isWhole);

/** Victims that are all at hand, by node, the largest group first. */
export function byNode<T extends { node?: string | undefined }>(victims: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const victim of victims) {
    const name = victim.node ?? 'node not recorded';
    groups.set(name, [...(groups.get(name) ?? []), victim]);
  }
  return new Map([...groups].sort(([a, of], [b, than]) => than.length - of.length || (a < b ? -1 : 1)));
}
