import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { User } from '../../../../scripts/infra/index.js';
import { clusterAgentContract } from '../../../../test/contracts/cluster-agent.js';
import { pathOf, TestKubernetes, type Thing } from '../../../../test/support/kubernetes.js';
import { TcpProxy } from '../../../../test/support/tcp-proxy.js';
import type { AllocationReport } from '../inventory-changes.js';
import { rolesFor } from './access/grant-manifest.js';
import { type Call, KubernetesApi } from './api.js';
import { KubernetesCluster, type KubernetesClusterOptions } from './kubernetes-cluster.js';
import { NamespaceSource } from './namespaces/namespace-source.js';
import type { KubernetesObject, KubernetesStatus } from './objects.js';

let kubernetes: TestKubernetes;
let node: string;
beforeAll(async () => {
  kubernetes = await TestKubernetes.open();
  node = await kubernetes.node();
});
afterAll(() => kubernetes.close());

let namespace: string;
let way: TcpProxy & { url: string };
let api: KubernetesApi;
let cluster: KubernetesCluster;
let troubles: string[];
/** The reported changes of the namespace, in their order. */
let observed: string[];
let started: Map<string, AllocationReport>;
/** Namespaces with findings, and the paths of what was made. */
let found: string[];
let posted: string[];

beforeEach(async () => {
  troubles = [];
  observed = [];
  started = new Map();
  [found, posted] = [[], []];
  namespace = await kubernetes.namespace();
  way = await TcpProxy.to(kubernetes.plane.url);
  await open('admin');
});
afterEach(async () => {
  await cluster.stop();
  await way.cut();
  api.close();
});

/** As this user from now on; before `start`. */
async function open(user: User, more: Partial<KubernetesClusterOptions> = {}): Promise<void> {
  api?.close();
  const kubeconfig = await kubernetes.kubeconfig({ user, server: way.url });
  api = KubernetesApi.open({ kubeconfig }, (method, path) => {
    if (method === 'POST') posted.push(path);
  });
  cluster = new KubernetesCluster({
    api,
    mode: () => 'enforce',
    queues: (shared) => new NamespaceSource(shared, { partition: 'default', delay: '0' }),
    originators: [{ label: 'spark-role', value: 'driver' }],
    protectedNamespaces: new Set(['kube-system']),
    now: () => new Date(),
    onTrouble: (what, error) => troubles.push(`${what}: ${error.message}`),
    onFinding: ({ object }) => found.push(object.namespace),
    ...more,
  });
}

const nameOf = (id: string) => id.slice(namespace.length + 1);
const isOurs = ({ id }: { id: string }) => id.startsWith(`${namespace}/`);

/** Takes what has changed. */
function take(): void {
  const { allocations, allocationsGone } = cluster.partition('default').changes();
  for (const one of allocations.filter(isOurs)) {
    started.set(nameOf(one.id), one);
    observed.push(`${one.state} ${nameOf(one.id)}`);
  }
  for (const one of allocationsGone.filter(isOurs)) observed.push(`gone ${nameOf(one.id)}`);
}
/** Takes what has changed, until that `holds`. */
const until = (what: string, holds: () => boolean) =>
  kubernetes.until(`${what}; observed: ${observed.join(', ')}`, async () => {
    take();
    return holds();
  });
const start = () => cluster.start(() => {});
const isCurrent = () => cluster.partition('default').isCurrent();

describe('what is reported of a cluster', () => {
  it('are its pods with their roles, in their queues; DaemonSets and static pods cannot be evicted', async () => {
    await kubernetes.ask('POST', `/apis/apps/v1/namespaces/${namespace}/daemonsets`, {
      metadata: { name: 'logs' },
      spec: {
        selector: { matchLabels: { app: 'logs' } },
        template: {
          metadata: { labels: { app: 'logs' } },
          spec: {
            containers: [{ name: 'main', image: 'none', resources: { requests: { cpu: '10m' } } }],
            nodeSelector: { 'kubernetes.io/hostname': node },
          },
        },
      },
    });
    await kubernetes.runningPods(namespace, ['driver'], { node, labels: { 'spark-role': 'driver' } });
    await kubernetes.runningPods(namespace, ['static'], {
      node,
      annotations: { 'kubernetes.io/config.mirror': 'hash' },
    });
    await kubernetes.runningPods(namespace, ['task'], { node, cpu: '1500m', memory: '2Gi' });
    await start();
    await until('four pods', () => started.size >= 4);
    const roles = [...started].map(([name, { role }]) => [name.replace(/-.*/, ''), role]);
    expect(Object.fromEntries(roles)).toEqual({
      driver: 'originator',
      logs: 'daemon',
      static: 'daemon',
      task: 'task',
    });
    expect(started.get('task')).toMatchObject({
      queue: `root.${namespace}`,
      application: `${namespace}/Pod/task`,
      node,
      state: 'running',
      resources: { vcore: 1500, memory: 2 ** 31, pods: 1 },
    });
  });

  it('comes from a source that names the cluster by the uid of kube-system', async () => {
    await start();
    const { metadata } = await kubernetes.ask<{ metadata: { uid: string } }>(
      'GET',
      '/api/v1/namespaces/kube-system',
    );
    expect(cluster.speaksAs('a host')).toBe(`/clusters/${metadata.uid}/agents/a%20host`);
  });

  it('are protected pods as such', async () => {
    await kubernetes.runningPods(namespace, ['precious'], { node, labels: { 'curtail.io/protect': 'true' } });
    await start();
    await until('the pod', () => started.has('precious'));
    expect(started.get('precious')).toMatchObject({ protected: true });
  });

  it('follows a pod from its start over its end to the next one under its name', async () => {
    await start();
    const [first] = await kubernetes.runningPods(namespace, ['web-0'], { node });
    await until('it to run', () => observed.includes('running web-0'));
    await kubernetes.remove(pathOf(first!), 0);
    const [second] = await kubernetes.runningPods(namespace, ['web-0'], { node });
    await until('the next one', () => started.get('web-0')?.uid === second!.metadata.uid);
    expect(observed.filter((what) => what === 'gone web-0')).toHaveLength(1);
  });
});

it('asks for an eviction in a dry run first where there are disruption budgets', async () => {
  const labels = { app: 'web' };
  const [pod] = await kubernetes.runningPods(namespace, ['web-0'], { node, labels });
  await start();
  await until('the pod', () => started.has('web-0'));
  await kubernetes.budget(namespace, 'web', 1, labels);
  const bodies: { deleteOptions?: { dryRun?: string[] } }[] = [];
  const call = api.call.bind(api);
  api.call = (method, path, asked) => {
    if (path.endsWith('/eviction')) bodies.push(asked?.body as object);
    return call(method, path, asked);
  };
  await kubernetes.until('the budget to be known', async () => {
    bodies.length = 0;
    // The budget refuses, so it may be asked for again and again.
    const outcome = await cluster.evictor.evict({
      ...{
        partition: 'default',
        evictionId: 'e',
        attempt: 1,
        allocation: `${namespace}/web-0`,
        queue: 'root',
      },
      ...{
        uid: pod!.metadata.uid,
        application: 'a',
        graceSeconds: 1,
        reason: 'r',
        deadlineAt: '2100-01-01T00:00:00Z',
      },
    });
    expect(outcome).toMatchObject({ answer: 'refused', code: 'disruption-budget' });
    return bodies[0]?.deleteOptions?.dryRun;
  });
  expect(bodies).toHaveLength(1);
});

describe('a quota that cannot be read', () => {
  const isFound = () => kubernetes.until('the finding', async () => found.includes(namespace));
  const events = () => posted.filter((path) => path.includes(`/namespaces/${namespace}/events`));
  beforeEach(() =>
    kubernetes.patch(`/api/v1/namespaces/${namespace}`, {
      metadata: { annotations: { 'curtail.io/quota-preemption-delay': 'soon' } },
    }),
  );

  it('stands on its namespace as an Event', async () => {
    await start();
    await isFound();
    await kubernetes.until('the Event', async () => events().length === 1);
  });

  it('is shown to the operator of the agent only, if nothing is to be written', async () => {
    await open('admin', { writesFindingEvents: false });
    await start();
    await isFound();
    // Later findings are written.
    const other = { kind: 'Namespace', name: 'after', uid: 'none', apiVersion: 'v1' };
    await cluster.evictor.event(namespace, other, 'After', 'after', 'Normal');
    expect(events()).toHaveLength(1);
  });
});

describe('a way to the API server', () => {
  const names = Array.from({ length: 5 }, (_, index) => `pod-${index}`);

  it.each(['cut', 'lost without a word'])(
    'that is %s: changes are reported, and nothing else seems gone',
    async (how) => {
      const pods = await kubernetes.runningPods(namespace, names, { node });
      await start();
      await until('all pods', () => started.size === 5);
      expect(await kubernetes.until('it to be current', isCurrent)).toBe(true);
      if (how === 'cut') await way.cut();
      else await way.hole();
      await kubernetes.remove(pathOf(pods[0]!), 0);
      await kubernetes.runningPods(namespace, ['new'], { node });
      await kubernetes.until('it to be known as away', async () => !(await isCurrent()));
      expect(troubles).not.toEqual([]);
      expect(observed.filter((what) => what.startsWith('gone'))).toEqual([]);
      await way.pass();
      await until('the changes', () => observed.includes('running new') && observed.includes('gone pod-0'));
      expect(observed.filter((what) => what.startsWith('gone'))).toEqual(['gone pod-0']);
      await kubernetes.until('it to be current again', isCurrent);
    },
  );

  it('on which versions expire while it is away: everything is listed again, and nothing else seems gone', async () => {
    const pods = await kubernetes.runningPods(namespace, names, { node });
    const expired = errorsInWatches();
    await start();
    await until('all pods', () => started.size === 5);
    await way.cut();
    await kubernetes.remove(pathOf(pods[0]!), 0);
    // Its cache is empty after the restart: it answers earlier versions with 410 inside a 200.
    await kubernetes.plane.apiServer.kill();
    await kubernetes.plane.apiServer.start();
    const lists = holdLists();
    await way.pass();
    await lists.held;
    take();
    expect(expired).toContain('/api/v1/pods 410');
    // The list is slow: until it is there, nothing is known.
    expect(await isCurrent()).toBe(false);
    expect(observed.filter((what) => what.startsWith('gone'))).toEqual([]);
    lists.release();
    await until('the change', () => observed.includes('gone pod-0'));
    expect(observed.filter((what) => what.startsWith('gone'))).toEqual(['gone pod-0']);
    await kubernetes.until('it to be current again', isCurrent);
  });
});

describe('the first list', () => {
  it('that is slow: nothing is reported before it is there, and then what is there by then', async () => {
    const [first] = await kubernetes.runningPods(namespace, ['first', 'second'], { node });
    const lists = holdLists();
    let isStarted = false;
    const starting = start().then(() => {
      isStarted = true;
    });
    await lists.held;
    expect(cluster.partition('default').isSynced).toBe(false);
    await kubernetes.remove(pathOf(first!), 0);
    await kubernetes.runningPods(namespace, ['third'], { node });
    expect(isStarted).toBe(false);
    lists.release();
    await starting;
    await until('both pods', () => started.has('second') && started.has('third'));
    expect(observed.filter((what) => what.endsWith('first'))).toEqual([]);
  });
});

describe('a right that is taken away', () => {
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const role = 'test-taken-away';
  const bind = () =>
    kubernetes.ask('POST', `${rbac}/clusterrolebindings`, {
      metadata: { name: role },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'User', name: 'nobody', apiGroup: 'rbac.authorization.k8s.io' }],
    });
  beforeEach(async () => {
    const { cluster: rules } = rolesFor(['observe', 'namespaces']);
    await kubernetes.ask('POST', `${rbac}/clusterroles`, { metadata: { name: role }, rules });
    await bind();
    await open('nobody');
  });
  afterEach(async () => {
    await kubernetes.remove(`${rbac}/clusterrolebindings/${role}`);
    await kubernetes.remove(`${rbac}/clusterroles/${role}`);
  });

  it('is reported (403), and nothing seems gone; once granted, the changes are reported', async () => {
    const pods = await kubernetes.runningPods(namespace, ['a', 'b'], { node });
    await start();
    await until('both pods', () => started.size === 2);
    await kubernetes.remove(`${rbac}/clusterrolebindings/${role}`);
    // Watches that are open stay open.
    await way.cut();
    await way.pass();
    await kubernetes.until('the refusal', async () =>
      troubles.some((what) =>
        /Could not watch \/api\/v1\/pods; retrying: .*403.*cannot watch resource "pods"/.test(what),
      ),
    );
    expect(await isCurrent()).toBe(false);
    await kubernetes.remove(pathOf(pods[0]!), 0);
    take();
    expect(observed.filter((what) => what.startsWith('gone'))).toEqual([]);
    await bind();
    await until('the change', () => observed.includes('gone a'));
    expect(observed.filter((what) => what.startsWith('gone'))).toEqual(['gone a']);
    await kubernetes.until('it to be current again', isCurrent);
  });
});

/** Which watches have ended with an error inside a 200, as `path code`. */
function errorsInWatches(): string[] {
  const found: string[] = [];
  const watch = api.watch.bind(api);
  api.watch = async function* <T extends KubernetesObject>(
    ...[path, query, options]: Parameters<typeof watch>
  ) {
    for await (const event of watch<T>(path, query, options)) {
      if (event.type === 'ERROR') found.push(`${path} ${(event.object as KubernetesStatus).code}`);
      yield event;
    }
  };
  return found;
}

/** Holds lists of all pods until `release`; `held` resolves with the first one. */
function holdLists(): { held: Promise<void>; release: () => void } {
  let release = () => {};
  const gone = new Promise<void>((resolve) => {
    release = resolve;
  });
  const get = api.get.bind(api);
  const held = new Promise<void>((resolve) => {
    api.get = async <T>(path: string, call: Call = {}) => {
      // The check that the server answers has a limit of one.
      const isList = path === '/api/v1/pods' && call.query?.limit !== 1;
      if (isList) {
        resolve();
        await gone;
      }
      return get<T>(path, call);
    };
  });
  return { held, release };
}

// Answers that are lost: evictor.clusters.spec.ts.
clusterAgentContract(
  'Kubernetes',
  async () => {
    let mode: 'observe' | 'enforce' = 'enforce';
    await open('admin', { mode: () => mode });
    await start();
    const idsOf = (name: string) => `${namespace}/${name}`;
    const own = (id: string) => kubernetes.ask('GET', pathOf(podAt(id)));
    const podAt = (id: string) => ({ metadata: { namespace, name: nameOf(id) } }) as Thing;
    let begun = 0;
    return {
      partition: 'default',
      ...{ reports: cluster.partition('default'), evictor: cluster.evictor },
      begin: async () => {
        const name = `work-${++begun}`;
        await kubernetes.runningPods(namespace, [name], {
          node,
          cpu: '10m',
          memory: '10Mi',
          graceSeconds: 30,
        });
        return idsOf(name);
      },
      end: (id) => kubernetes.remove(pathOf(podAt(id)), 0),
      replace: async (id) => {
        const { uid } = (await own(id)).metadata;
        await kubernetes.remove(pathOf(podAt(id)), 0);
        await kubernetes.pod(namespace, nameOf(id), { node, graceSeconds: 30 });
        return uid;
      },
      evictions: async () => (await kubernetes.accepted(namespace)).map(idsOf),
      observe: () => {
        mode = 'observe';
      },
      cut: () => way.cut(),
      restore: () => way.pass(),
      // Each test of this file opens and closes its own.
      close: async () => {},
    };
  },
  { losesAnswers: false },
);
