import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { pathOf, TestKubernetes } from '../../../../test/support/kubernetes.js';
import { TcpProxy } from '../../../../test/support/tcp-proxy.js';
import type { AllocationReport } from '../inventory-changes.js';
import { KubernetesApi } from './api.js';
import { KubernetesCluster } from './kubernetes-cluster.js';
import { NamespaceSource } from './namespaces/namespace-source.js';

let kubernetes: TestKubernetes;
let node: string;
beforeAll(async () => {
  kubernetes = await TestKubernetes.open();
  node = await kubernetes.node();
});
afterAll(() => kubernetes.close());

let namespace: string;
let way: TcpProxy;
let api: KubernetesApi;
let cluster: KubernetesCluster;
let troubles: string[];
/** What was said of the namespace, in its order. */
let said: string[];
let started: Map<string, AllocationReport>;

beforeEach(async () => {
  troubles = [];
  said = [];
  started = new Map();
  namespace = await kubernetes.namespace();
  const proxy = await TcpProxy.to(kubernetes.plane.url);
  way = proxy;
  api = KubernetesApi.open({ kubeconfig: await kubernetes.kubeconfig({ server: proxy.url }) });
  cluster = new KubernetesCluster({
    api,
    queues: (shared) => new NamespaceSource(shared, { partition: 'default', delay: '0' }),
    originators: [{ label: 'spark-role', value: 'driver' }],
    protectedNamespaces: ['kube-system'],
    now: () => new Date(),
    onTrouble: (what) => troubles.push(what),
    onFinding: () => {},
  });
});
afterEach(async () => {
  await cluster.stop();
  await way.cut();
  api.close();
});

const nameOf = (id: string) => id.slice(namespace.length + 1);
const isOurs = ({ id }: { id: string }) => id.startsWith(`${namespace}/`);

/** Takes what has changed, until that `holds`. */
const until = (what: string, holds: () => boolean) =>
  kubernetes.until(`${what}; said: ${said.join(', ')}`, async () => {
    const { allocations, allocationsGone } = cluster.partition('default').changes();
    for (const one of allocations.filter(isOurs)) {
      started.set(nameOf(one.id), one);
      said.push(`${one.state} ${nameOf(one.id)}`);
    }
    for (const one of allocationsGone.filter(isOurs)) said.push(`gone ${nameOf(one.id)}`);
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

  it('are protected pods as such', async () => {
    await kubernetes.runningPods(namespace, ['precious'], { node, labels: { 'curtail.io/protect': 'true' } });
    await start();
    await until('the pod', () => started.has('precious'));
    expect(started.get('precious')).toMatchObject({ protected: true });
  });

  it('follows a pod from its start over its end to the next one under its name', async () => {
    await start();
    const [first] = await kubernetes.runningPods(namespace, ['web-0'], { node });
    await until('it to run', () => said.includes('running web-0'));
    await kubernetes.remove(pathOf(first!), 0);
    const [second] = await kubernetes.runningPods(namespace, ['web-0'], { node });
    await until('the next one', () => started.get('web-0')?.uid === second!.metadata.uid);
    expect(said.filter((what) => what === 'gone web-0')).toHaveLength(1);
  });
});

describe('a way to the API server', () => {
  const names = Array.from({ length: 5 }, (_, index) => `pod-${index}`);

  it.each(['cut', 'lost without a word'])(
    'that is %s: what has changed is told, and nothing else seems gone',
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
      expect(said.filter((what) => what.startsWith('gone'))).toEqual([]);
      await way.pass();
      await until('the changes', () => said.includes('running new') && said.includes('gone pod-0'));
      expect(said.filter((what) => what.startsWith('gone'))).toEqual(['gone pod-0']);
      await kubernetes.until('it to be current again', isCurrent);
    },
  );

  it('on which versions expire while it is away: everything is listed again, and nothing else seems gone', async () => {
    const pods = await kubernetes.runningPods(namespace, names, { node });
    await start();
    await until('all pods', () => started.size === 5);
    await way.cut();
    await kubernetes.remove(pathOf(pods[0]!), 0);
    // Its cache begins anew: earlier versions are answered with 410 inside a 200.
    await kubernetes.plane.apiServer.kill();
    await kubernetes.plane.apiServer.start();
    await way.pass();
    await until('the change', () => said.includes('gone pod-0'));
    expect(said.filter((what) => what.startsWith('gone'))).toEqual(['gone pod-0']);
    await kubernetes.until('it to be current again', isCurrent);
  });
});
