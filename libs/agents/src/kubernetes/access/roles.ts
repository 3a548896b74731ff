import { type CallRule, callsFor, type Purpose, type Verb } from './calls.js';

/** A rule of a Role or a ClusterRole. */
export interface RoleRule {
  apiGroups: [string];
  resources: [string];
  verbs: Verb[];
}

/** The permissions for these rules, one for each resource. */
export function roleRules(rules: readonly CallRule[]): RoleRule[] {
  const keys = [...new Set(rules.map(({ group, resource }) => `${group}\n${resource}`))];
  return keys.map((key) => {
    const [group = '', resource = ''] = key.split('\n');
    const same = rules.filter((rule) => rule.group === group && rule.resource === resource);
    return {
      apiGroups: [group],
      resources: [resource],
      verbs: [...new Set(same.flatMap(({ verbs }) => verbs))],
    };
  });
}

/** The rules of the whole cluster, and those of one namespace, for the given purposes. */
export function rolesFor(
  purposes: readonly Purpose[],
): Record<'cluster' | 'agent' | 'scheduler', RoleRule[]> {
  const rules = callsFor(purposes);
  return {
    cluster: roleRules(rules.filter(({ scope }) => scope === undefined)),
    agent: roleRules(rules.filter(({ scope }) => scope === 'agent')),
    scheduler: roleRules(rules.filter(({ scope }) => scope === 'scheduler')),
  };
}
