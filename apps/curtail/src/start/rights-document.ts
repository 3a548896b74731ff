import { stringify } from 'yaml';
import { callsFor, type Purpose, type RoleRule, rolesFor } from '#agents/kubernetes';

const flow = { flowCollectionPadding: true, lineWidth: 0 };
const purposes: readonly [Purpose, string][] = [
  ['observe', 'to know the cluster'],
  ['namespaces', 'where queues are namespaces'],
  ['yunikorn', 'where queues come from YuniKorn'],
  ['enforce', 'to evict, and to notify owners; not needed to observe'],
  ['lease', 'to elect a leader among agents'],
];

/** deploy/helm/curtail/files/agent-rules.yaml: the rights that the chart's roles grant. */
export function rulesOfChart(): string {
  const head = '# Made from the calls that the agent makes by `npm run docs`: do not edit.\n';
  return (
    head + stringify(Object.fromEntries(purposes.map(([purpose]) => [purpose, rolesFor([purpose])])), flow)
  );
}

/** docs/reference/kubernetes-rights.md: the rights of an agent in a cluster, their reasons, and manifests that grant them. */
export function rightsDocument(): string {
  const sections = purposes.map(([purpose, why]) => {
    const rows = callsFor([purpose]).map(
      (rule) =>
        `| \`${rule.group === '' ? 'core' : rule.group}\` | \`${rule.resource}\` | ${rule.verbs.join(', ')} | ${placeOf(rule.scope)} | ${rule.why} |`,
    );
    return `### ${purpose}: ${why}\n\n| group | resource | verbs | where | for |\n| --- | --- | --- | --- | --- |\n${rows.join('\n')}\n`;
  });
  return [
    head,
    ...sections,
    '## Manifests\n',
    'To observe, with namespaces as queues. Nothing in it changes anything:\n',
    yaml(clusterRole('curtail-agent-observe', rolesFor(['observe', 'namespaces']).cluster)),
    'To enforce:\n',
    yaml(clusterRole('curtail-agent-enforce', rolesFor(['observe', 'namespaces', 'enforce']).cluster)),
    'With YuniKorn, in addition:\n',
    yaml(
      clusterRole('curtail-agent-yunikorn', rolesFor(['yunikorn']).cluster),
      role('curtail-agent-yunikorn', 'yunikorn', rolesFor(['yunikorn']).scheduler),
    ),
    'For a standby, in the namespace of the agents:\n',
    yaml(role('curtail-agent-lease', 'curtail', rolesFor(['lease']).agent)),
  ].join('\n');
}

const head = `# Rights of the agent in a Kubernetes cluster

Generated from the code by \`npm run docs\`. The agent makes only these calls, and its client refuses any other. At startup it
checks its right to each of them (SelfSubjectAccessReview), and reports the missing rights with a manifest that grants all that its mode needs;
\`curtail doctor --manifest\` prints the same (with \`--enforce\` to evict) for \`kubectl apply -f -\`. Every authenticated user may read \`/version\` and
check their own rights.
`;

const placeOf = (scope: 'agent' | 'scheduler' | undefined): string =>
  scope === undefined
    ? 'everywhere'
    : scope === 'agent'
      ? 'the namespace of the agent'
      : 'the namespace of YuniKorn';

const kind = (name: 'ClusterRole' | 'Role') => ({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: name });
const clusterRole = (name: string, rules: RoleRule[]) => ({
  ...kind('ClusterRole'),
  metadata: { name },
  rules,
});
const role = (name: string, namespace: string, rules: RoleRule[]) => ({
  ...kind('Role'),
  metadata: { name, namespace },
  rules,
});
const yaml = (...objects: object[]): string =>
  `\`\`\`yaml\n${objects.map((one) => stringify(one, flow)).join('---\n')}\`\`\`\n`;
