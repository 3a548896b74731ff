import { createHash } from 'node:crypto';
import { stringify } from 'yaml';
import { type AgentRole, type CallRule, callsFor, type Purpose, purposesOf, type Verb } from './calls.js';
import type { Namespaces } from './missing-rights.js';

const group = 'rbac.authorization.k8s.io';

/**
 * The roles with every right of an agent, and their bindings to a user, as one text for `kubectl apply -f -`. It can be applied again and again: a role
 * of one name has always the same rules, and a binding always the same role and user.
 *
 * @param user as the API server names it.
 */
export function grantManifest(role: AgentRole, { agent, scheduler }: Namespaces, user: string): string {
  const { mode, queues } = role;
  const rules = rolesFor(purposesOf(role));
  const of = createHash('sha256').update(user).digest('hex').slice(0, 8);
  const granted = (name: string, rules: RoleRule[], namespace?: string): object[] => {
    if (rules.length === 0) return [];
    const kind = namespace === undefined ? 'ClusterRole' : 'Role';
    const apiVersion = `${group}/v1`;
    const within = namespace !== undefined && { namespace };
    return [
      { apiVersion, kind, metadata: { name, ...within }, rules },
      {
        apiVersion,
        kind: `${kind}Binding`,
        metadata: { name: `${name}-${of}`, ...within },
        roleRef: { apiGroup: group, kind, name },
        subjects: [subjectOf(user)],
      },
    ];
  };
  return [
    ...granted(`curtail-agent-${mode}-${queues}`, rules.cluster),
    ...granted('curtail-agent-yunikorn', rules.scheduler, scheduler),
    ...granted('curtail-agent-lease', rules.agent, agent),
  ]
    .map((one) => stringify(one, { flowCollectionPadding: true, lineWidth: 0, collectionStyle: 'any' }))
    .join('---\n');
}

/** The command that applies it, as a person copies it into a shell. */
export const applyCommand = (manifest: string): string => `kubectl apply -f - <<'EOF'\n${manifest}EOF`;

function subjectOf(user: string): object {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  return name === undefined
    ? { apiGroup: group, kind: 'User', name: user }
    : { kind: 'ServiceAccount', name, namespace };
}

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
