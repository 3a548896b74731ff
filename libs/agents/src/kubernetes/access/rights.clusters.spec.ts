import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TestKubernetes } from '../../../../../test/support/kubernetes.js';
import { KubernetesApi } from '../api.js';
import { type AgentRole, callsFor, purposesOf } from './calls.js';
import { type RoleRule, rolesFor } from './grant-manifest.js';
import { missingRights, nameOfRight, whoAmI } from './missing-rights.js';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const observe: AgentRole = { mode: 'observe', queues: 'namespaces', lease: false };
const all: AgentRole = { mode: 'enforce', queues: 'yunikorn', lease: true };

describe('the rights of an agent', () => {
  let kubernetes: TestKubernetes;
  let api: KubernetesApi;
  let namespace: string;
  let granted: string[] = [];
  beforeAll(async () => {
    kubernetes = await TestKubernetes.open();
    api = KubernetesApi.open({ kubeconfig: await kubernetes.kubeconfig({ user: 'nobody' }) });
    namespace = await kubernetes.namespace();
  });
  afterEach(async () => {
    for (const path of granted) await kubernetes.remove(path);
    granted = [];
  });
  afterAll(async () => {
    api?.close();
    await kubernetes?.close();
  });

  async function grant(name: string, rules: RoleRule[], within?: string): Promise<void> {
    const place = within === undefined ? rbac : `${rbac}/namespaces/${within}`;
    const [role, binding] =
      within === undefined ? ['ClusterRole', 'clusterrolebindings'] : ['Role', 'rolebindings'];
    await kubernetes.ask('POST', `${place}/${role.toLowerCase()}s`, { metadata: { name }, rules });
    await kubernetes.ask('POST', `${place}/${binding}`, {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: role, name },
      subjects: [{ kind: 'User', name: 'nobody', apiGroup: 'rbac.authorization.k8s.io' }],
    });
    granted.push(`${place}/${role.toLowerCase()}s/${name}`, `${place}/${binding}/${name}`);
  }
  const missing = async (role: AgentRole) =>
    missingRights(api, callsFor(purposesOf(role)), { agent: namespace, scheduler: namespace });
  const untilMissing = (role: AgentRole, count: number) =>
    kubernetes.until(`${count} missing rights`, async () => (await missing(role)).length === count);

  it('are all named where none is granted, with the user', async () => {
    const found = await missing(all);
    expect(found.map(nameOfRight).sort()).toEqual(
      callsFor(purposesOf(all))
        .flatMap(({ group, resource, verbs, scope, why }) =>
          verbs.map((verb) => nameOfRight({ group, resource, verb, why, namespace: scope && namespace })),
        )
        .sort(),
    );
    expect(found.map(nameOfRight)).toEqual(
      expect.arrayContaining([
        'create pods/eviction',
        'patch pods',
        'create events.events.k8s.io',
        `update leases.coordination.k8s.io in ${namespace}`,
      ]),
    );
    expect(await whoAmI(api)).toBe('nobody');
  });

  it('to observe are met by the roles for it, which only read', async () => {
    const { cluster } = rolesFor(purposesOf(observe));
    expect([...new Set(cluster.flatMap(({ verbs }) => verbs))].sort()).toEqual(['list', 'watch']);
    await grant('test-observe', cluster);
    await untilMissing(observe, 0);
    const others = (await missing({ ...observe, mode: 'enforce' })).map(nameOfRight);
    expect(others.sort()).toEqual([
      'create events.events.k8s.io',
      'create pods/eviction',
      'get pods',
      'patch pods',
    ]);
  });

  it('to enforce, with a lease and YuniKorn, are met by the roles for that', async () => {
    const { cluster, agent, scheduler } = rolesFor(purposesOf(all));
    await grant('test-enforce', cluster);
    await grant('test-lease', agent, namespace);
    await grant('test-yunikorn', scheduler, namespace);
    await untilMissing(all, 0);
  });
});
