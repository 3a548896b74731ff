import { createHash } from 'node:crypto';
import { stringify } from 'yaml';
import { type AgentRole, purposesOf } from './calls.js';
import type { Namespaces } from './missing-rights.js';
import { type RoleRule, rolesFor } from './roles.js';

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
