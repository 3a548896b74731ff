export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch';

/**
 * The purpose of an agent's call: `observe` to read the cluster, `enforce` to evict and to notify owners, `namespaces` and `yunikorn`
 * for the queues, `lease` to stand by for another agent.
 */
export type Purpose = 'observe' | 'enforce' | 'namespaces' | 'yunikorn' | 'lease';

/** Calls of one kind. `''` is the core group. */
export interface CallRule {
  group: string;
  /** With its subresource, such as `pods/eviction`. */
  resource: string;
  verbs: readonly Verb[];
  purpose: Purpose;
  /** The only namespace it is needed in: that of the lease, or of the configuration. Absent: the whole cluster. */
  scope?: 'agent' | 'scheduler';
  /** The reason, for the administrator who grants it. */
  why: string;
}

/**
 * Every call that an agent makes to the API server. The client refuses any other (`assertDeclared`), and the roles of the Helm chart and
 * of docs/reference/kubernetes-rights.md are made from this table.
 */
export const calls: readonly CallRule[] = [
  {
    group: '',
    resource: 'pods',
    verbs: ['list', 'watch'],
    purpose: 'observe',
    why: 'what runs, and what waits for room',
  },
  { group: '', resource: 'nodes', verbs: ['list', 'watch'], purpose: 'observe', why: 'the room there is' },
  {
    group: '',
    resource: 'namespaces',
    verbs: ['list', 'watch'],
    purpose: 'observe',
    why: 'queues, and which pods are protected',
  },
  {
    group: '',
    resource: 'resourcequotas',
    verbs: ['list', 'watch'],
    purpose: 'namespaces',
    why: 'the quotas of namespaces',
  },
  {
    group: '',
    resource: 'configmaps',
    verbs: ['list', 'watch'],
    purpose: 'yunikorn',
    scope: 'scheduler',
    why: 'queues.yaml of YuniKorn',
  },
  {
    group: 'scheduling.k8s.io',
    resource: 'priorityclasses',
    verbs: ['list', 'watch'],
    purpose: 'yunikorn',
    why: 'which priorities forbid preemption',
  },
  {
    group: 'policy',
    resource: 'poddisruptionbudgets',
    verbs: ['list', 'watch'],
    purpose: 'observe',
    why: 'how many pods may go, and where evictions need a dry run first',
  },
  {
    group: '',
    resource: 'pods/eviction',
    verbs: ['create'],
    purpose: 'enforce',
    why: 'evictions, which disruption budgets may refuse',
  },
  {
    group: '',
    resource: 'pods',
    verbs: ['get'],
    purpose: 'enforce',
    why: 'which pod has the name, when an eviction meets another one',
  },
  {
    group: '',
    resource: 'pods',
    verbs: ['patch'],
    purpose: 'enforce',
    why: 'the annotations curtail.io/enforcement and curtail.io/evict-after',
  },
  {
    group: 'events.k8s.io',
    resource: 'events',
    verbs: ['create'],
    purpose: 'enforce',
    why: 'events that notify owners of evictions, and administrators of quotas that cannot be enforced',
  },
  {
    group: 'coordination.k8s.io',
    resource: 'leases',
    verbs: ['get', 'create', 'update'],
    purpose: 'lease',
    scope: 'agent',
    why: 'which of several agents is active',
  },
];

/** The rules of the given purposes. */
export const callsFor = (purposes: readonly Purpose[]): CallRule[] =>
  calls.filter(({ purpose }) => purposes.includes(purpose));

/** The tasks of an agent, by its settings. */
export interface AgentRole {
  mode: 'observe' | 'enforce';
  queues: 'namespaces' | 'yunikorn';
  lease: boolean;
}

export function purposesOf({ mode, queues, lease }: AgentRole): Purpose[] {
  return [
    'observe',
    queues,
    ...(mode === 'enforce' ? (['enforce'] as const) : []),
    ...(lease ? (['lease'] as const) : []),
  ];
}
