import { describe } from '@jest/globals';
import {
  AnswerWakeUps,
  type ClusterDriver,
  EvictionAnswers,
  type EvictionGate,
  EvictionRequests,
  InventoryCluster,
  InventoryReports,
  InventoryUnknown,
} from '#clusters';
import type {
  ClusterSnapshot,
  Resources,
  SnapshotAllocation,
  SnapshotApplication,
  SnapshotNode,
} from '#contracts';
import { openDatabase, WakeListener } from '#event-store';
import { consumerOf, InProcessBus } from '#messaging';
import {
  type ClusterUnderTest,
  type ContractWork,
  clusterDriverContract,
} from '../../../../test/contracts/cluster-driver.js';
import { createMigratedDatabase } from '../../../../test/support/database.js';
import { FakeYunikorn, usernameLabel } from '../../../../test/support/fake-yunikorn.js';
import { type PodSpec, TestKubernetes, type Thing } from '../../../../test/support/kubernetes.js';
import { Agent } from '../agent.js';
import { InProcessTransport } from '../in-process-transport.js';
import { Sequence } from '../inventory-changes.js';
import { YunikornApi } from '../yunikorn/yunikorn-api.js';
import { KubernetesApi } from './api.js';
import { KubernetesCluster } from './kubernetes-cluster.js';
import { parentLabel } from './namespaces/namespace-queues.js';
import { NamespaceSource } from './namespaces/namespace-source.js';
import { checkpointedAtAnnotation, gangAnnotation, protectLabel, userAnnotation } from './pod-work.js';
import type { QueueSource, SharedWatches } from './queue-source.js';
import { allowPreemptionAnnotation, YunikornSource } from './yunikorn/yunikorn-source.js';

const partition = 'contract';
const gpu = 'test.curtail.io/gpu';
const originator = { label: 'spark-role', value: 'driver' };

/** Where the queues of a Kubernetes come from: what the contract's work is there. */
interface Queues {
  /** Makes what has to be there before any pod. */
  open(kubernetes: TestKubernetes): Promise<{
    source: (shared: SharedWatches) => QueueSource;
    close(): Promise<void>;
  }>;
  namespaces: readonly string[];
  namespaceOf(queue: string): string;
  /** The labels, annotations and scheduler that give a pod its place. */
  place(work: Pick<SnapshotAllocation, 'queue' | 'application'>, user: string | undefined): Partial<PodSpec>;
  applicationId(id: string): string;
  /** The known fields of an allocation there. */
  allocation(one: SnapshotAllocation): SnapshotAllocation;
}

/** Of the contract's queues; each is the last part of the path. */
const parents: Record<string, string | undefined> = {
  a: undefined,
  'a-b': undefined,
  b: undefined,
  x: 'a',
  y: 'a',
};

/** A namespace has no word for whether its pods allow their preemption. */
const ofNamespaces: Queues = {
  async open(kubernetes) {
    for (const [name, parent] of Object.entries(parents)) {
      await kubernetes.namespace({ name, ...(parent && { labels: { [parentLabel]: parent } }) });
    }
    return {
      source: (shared) => new NamespaceSource(shared, { partition, delay: '0' }),
      close: async () => undefined,
    };
  },
  namespaces: Object.keys(parents),
  namespaceOf: (queue) => queue.split('.').at(-1) ?? queue,
  place: ({ application }, user) => ({
    labels: { 'curtail.io/application': application },
    ...(user && { annotations: { [userAnnotation]: user } }),
  }),
  applicationId: (id) => ({ 'app-x': 'x/app-x', 'app-y': 'y/app-y' })[id] ?? id,
  allocation: ({ allowPreemption: _, ...one }) => one,
};

const yunikornNamespace = 'contract-yunikorn';

/** The first pod of an application is its originator. */
const ofYunikorn: Queues = {
  async open(kubernetes) {
    await kubernetes.namespace({ name: yunikornNamespace });
    const yunikorn = new FakeYunikorn(kubernetes, yunikornNamespace);
    const queues = `partitions: [{name: ${partition}, queues: [{name: root, queues: [
      {name: a, queues: [{name: x}, {name: y}]}, {name: a-b}, {name: b}]}]}]`;
    await kubernetes.ask('POST', `/api/v1/namespaces/${yunikornNamespace}/configmaps`, {
      metadata: { name: 'yunikorn-configs' },
      data: { 'queues.yaml': queues },
    });
    await yunikorn.up();
    return {
      source: (shared) =>
        new YunikornSource(shared, {
          api: YunikornApi.open(yunikorn.url),
          namespace: yunikornNamespace,
          configMap: 'yunikorn-configs',
        }),
      close: () => yunikorn.close(),
    };
  },
  namespaces: [yunikornNamespace],
  namespaceOf: () => yunikornNamespace,
  place: ({ application, queue }, user) => ({
    labels: { applicationId: application, queue, ...(user && { [usernameLabel]: user }) },
    spec: { schedulerName: 'yunikorn' },
  }),
  applicationId: (id) => id,
  allocation: (one) => ({ ...one, role: one.role ?? 'originator' }),
};

describe.each([
  ['namespaces', ofNamespaces],
  ['YuniKorn', ofYunikorn],
])('queues of %s', (name, queues) => {
  /** The inventory driver, with the reports and the hands of an agent of a real API server. */
  clusterDriverContract(`inventory, reported by the agent of Kubernetes, queues of ${name}`, () =>
    open(queues),
  );
});

async function open(queues: Queues): Promise<ClusterUnderTest> {
  const { namespaces, namespaceOf } = queues;
  const kubernetes = await TestKubernetes.open();
  await kubernetes.node({ cpu: '16', memory: '64000000000', pods: '100' }, 'n1');
  await kubernetes.node({ cpu: '16', memory: '64000000000', pods: '100', [gpu]: '2' }, 'n2');
  const there = await queues.open(kubernetes);
  for (const value of [3, 7]) {
    const priorityClass = { metadata: { name: `contract-${value}` }, value };
    await kubernetes.ask('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', priorityClass);
  }

  const server = await createMigratedDatabase();
  const db = await openDatabase(server.url);
  const wake = new WakeListener(server.url);
  const wakeUps = new AnswerWakeUps();
  const now = () => new Date();
  const bus = new InProcessBus({ database: db, wake });
  const none = { name: 'none', topics: [], handle: async () => undefined };
  const takers = {
    inventory: consumerOf(new InventoryReports(undefined, 100)),
    answers: consumerOf(new EvictionAnswers(db, wakeUps)),
    submissions: none,
    owners: none,
  };
  const transport = new InProcessTransport(db, takers, now, () => cluster.speaksAs('test'));
  bus.subscribe(transport);
  await wake.start();
  await bus.start();
  const api = KubernetesApi.open({ kubeconfig: await kubernetes.kubeconfig() });
  const cluster = new KubernetesCluster({
    api,
    mode: () => 'enforce',
    queues: there.source,
    annotations: [allowPreemptionAnnotation],
    originators: [originator],
    protectedNamespaces: new Set(['kube-system']),
    now,
    onTrouble: () => {},
    onFinding: () => {},
  });
  await cluster.start(() => {});
  const reports = cluster.partition(partition);
  const agent = new Agent({
    partition,
    reports,
    evictor: cluster.evictor,
    transport,
    sequence: new Sequence(Date.now()),
    now: Date.now,
    onTrouble: () => {},
  });
  await agent.start();

  const requests = new EvictionRequests(db, wakeUps, { answerSeconds: 30, now });
  const known = new InventoryCluster(db, requests, { staleSeconds: 60, now });
  await kubernetes.until('the first listing', async () =>
    known.snapshot({ partition }).catch((error) => {
      if (error instanceof InventoryUnknown) return undefined;
      throw error;
    }),
  );
  const names = new Names(queues);
  /** Pods that are leaving go when their time is over: the cluster's clock stands still unless time is let go by. */
  const leaving: { id: string; at: number }[] = [];
  let clock = 0;
  const refusals = new Map<string, number>();

  const ended = (id: string) =>
    kubernetes.until(`${id} to be known as gone`, async () => !(await known.allocation(partition, id)));
  const budgets = (id: string) => `/apis/policy/v1/namespaces/${id.split('/')[0]}/poddisruptionbudgets`;
  const remove = async (id: string) => {
    const [namespace, name] = id.split('/');
    await kubernetes.remove(`/api/v1/namespaces/${namespace}/pods/${name}`, 0);
  };
  const driver = new Translated(known, names, async (request, gate) => {
    const answer = await known.evict(request, gate);
    const { allocation: id, graceSeconds } = request;
    if (answer.kind === 'refused') {
      const left = (refusals.get(id) ?? 0) - 1;
      refusals.set(id, left);
      if (left === 0) await kubernetes.remove(`${budgets(id)}/refuses`);
    }
    if (answer.kind === 'accepted' && !answer.repeated) {
      // Its own time is ten minutes, and no request shortens it: the kubelet would find it finished.
      if (graceSeconds === 0) await remove(id).then(() => ended(id));
      else leaving.push({ id, at: clock + graceSeconds });
    }
    return answer;
  }).driver;

  const start = async (allocation: SnapshotAllocation, application?: SnapshotApplication) => {
    const { labels, annotations, spec } = queues.place(allocation, application?.user);
    const resources = Object.entries(allocation.resources).map(([type, amount]) =>
      type === 'vcore' ? ['cpu', `${amount}m`] : [type === 'gpu' ? gpu : type, `${amount}`],
    );
    const requests = Object.fromEntries(resources) as Record<string, string>;
    const limits = requests[gpu] && { [gpu]: requests[gpu] };
    await kubernetes.pod(namespaceOf(allocation.queue), allocation.id, {
      node: allocation.node ?? 'n2',
      graceSeconds: 600,
      labels: {
        ...labels,
        name: allocation.id,
        ...(allocation.role === 'originator' && { [originator.label]: originator.value }),
        ...(allocation.protected && { [protectLabel]: 'true' }),
      },
      annotations: {
        ...annotations,
        ...(allocation.allowPreemption !== undefined && {
          [allowPreemptionAnnotation]: `${allocation.allowPreemption}`,
        }),
        ...(allocation.role === 'daemon' && { 'kubernetes.io/config.mirror': 'static' }),
        ...(allocation.checkpointedAt && { [checkpointedAtAnnotation]: allocation.checkpointedAt }),
        ...(application?.gang && { [gangAnnotation]: `${application.gang.minMembers}` }),
      },
      spec: {
        ...spec,
        containers: [{ name: 'main', image: 'none', resources: { requests, limits: limits || undefined } }],
        ...(allocation.priority && { priorityClassName: `contract-${allocation.priority}` }),
      },
    });
  };
  const wait = (name: string, queue: string, application: string) => {
    const { spec, ...place } = queues.place({ queue, application }, 'ada');
    return kubernetes.pod(namespaceOf(queue), name, {
      ...place,
      node: undefined,
      spec: {
        ...spec,
        containers: [{ name: 'main', image: 'none', resources: { requests: { memory: '2000000000' } } }],
        nodeSelector: { nowhere: 'yes' },
      },
    });
  };

  return {
    db,
    driver,
    holds: (work) => heldBy(queues, work),
    async fill(_partition, work) {
      leaving.length = 0;
      refusals.clear();
      for (const namespace of namespaces) {
        await kubernetes.remove(`/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`);
        await kubernetes.remove(`/api/v1/namespaces/${namespace}/pods`, 0);
      }
      await kubernetes.until('nothing to be known', async () => {
        const there = await known.snapshot({ partition });
        return there.allocations.length === 0 && there.applications.length === 0;
      });
      const applications = new Map(work.applications.map((one) => [one.id, one]));
      const { allocations } = work;
      names.know(allocations);
      await Promise.all(allocations.map((one) => start(one, applications.get(one.application))));
      await Promise.all([
        ...[1, 2, 3].map((nr) => wait(`x-waits-${nr}`, 'root.a.x', 'app-x')),
        // An application is there as long as something of it is.
        wait('y-waits', 'root.a.y', 'app-y'),
      ]);
      let there: ClusterSnapshot;
      await kubernetes.until(
        'all of it to be known',
        async () => {
          there = await known.snapshot({ partition });
          const pending = there.applications.flatMap((one) => one.pending ?? []);
          const waiting = pending.reduce((sum, { count }) => sum + count, 0);
          return there.allocations.length === allocations.length && waiting === 4;
        },
        () => JSON.stringify([there.applications, there.allocations.map(({ id }) => id), reports.listing()]),
      );
      await running(kubernetes, namespaces, allocations.length);
    },
    async recreate(_partition, allocation) {
      const id = names.podOf(allocation.id);
      const before = await known.allocation(partition, id);
      await remove(id);
      await start(allocation);
      await kubernetes.until(`another ${id} to be known`, async () => {
        const there = await known.allocation(partition, id);
        return there && there.uid !== before?.uid && there.state === 'running';
      });
    },
    async refuse(_partition, { id, queue }, times) {
      refusals.set(names.podOf(id), times);
      await kubernetes.budget(namespaceOf(queue), 'refuses', 1, { name: id });
    },
    async pass(seconds) {
      clock += seconds;
      for (const due of leaving.filter(({ at }) => at <= clock)) {
        await remove(due.id);
        await ended(due.id);
      }
    },
    async close() {
      await agent.stop();
      await cluster.stop();
      await there.close();
      await bus.stop();
      await wake.stop();
      api.close();
      for (const value of [3, 7]) {
        await kubernetes.remove(`/apis/scheduling.k8s.io/v1/priorityclasses/contract-${value}`);
      }
      await kubernetes.close();
      await db.destroy();
      await server.drop();
    },
  };
}

/**
 * The part of the contract's work that Kubernetes can hold:
 *
 * - The kubelet reports when a pod started.
 * - An application is its pods: it has the highest of their priorities, the time of the first, and no properties.
 * - Labels of nodes are not reported.
 * - A disruption budget allows what its controller counts, which no test can choose.
 */
function heldBy(queues: Queues, work: ContractWork): ContractWork {
  return {
    nodes: work.nodes.map(({ id, capacity }) => ({ id, capacity })),
    applications: work.applications.map(({ id, queue, user, pending, gang }) => {
      const own = work.allocations.filter(({ application }) => application === id);
      const priority = Math.max(...own.map((allocation) => allocation.priority ?? 0));
      return {
        id,
        queue,
        priority,
        ...(user && { user }),
        ...(pending && { pending }),
        ...(gang && { gang }),
      };
    }),
    allocations: work.allocations.map(({ startedAt: _, budgets: _budgets, ...held }) =>
      queues.allocation(held as SnapshotAllocation),
    ),
  };
}

async function running(
  kubernetes: TestKubernetes,
  namespaces: readonly string[],
  count: number,
): Promise<void> {
  await kubernetes.until('all pods to run', async () => {
    const pods = await Promise.all(namespaces.map((namespace) => kubernetes.pods(namespace)));
    return pods.flat().filter(({ status }: Thing) => status.phase === 'Running').length === count;
  });
}

/** The contract's names of things, and those that they have in Kubernetes. */
class Names {
  private readonly pods = new Map<string, string>();

  constructor(private readonly queues: Queues) {}

  know(allocations: readonly SnapshotAllocation[]): void {
    for (const { id, queue } of allocations) this.pods.set(id, `${this.queues.namespaceOf(queue)}/${id}`);
  }

  podOf(id: string): string {
    return this.pods.get(id) ?? `${this.queues.namespaces.at(-1)}/${id}`;
  }

  applicationOf(id: string): string {
    return this.queues.applicationId(id);
  }
}

const bare = (id: string): string => id.slice(id.indexOf('/') + 1);

/** Every pod counts as one of `pods` besides, and other resources than CPU and memory have a domain. */
function plain(amounts: Resources): Resources {
  const { pods: _, [gpu]: gpus, ...rest } = amounts;
  return { ...rest, ...(gpus !== undefined && { gpu: gpus }) };
}

type Evict = ClusterDriver['evict'];

/** The driver under the contract's names: everything else is as it comes. */
class Translated {
  constructor(
    private readonly known: InventoryCluster,
    private readonly names: Names,
    private readonly evict: Evict,
  ) {}

  get driver(): ClusterDriver {
    const { known, names } = this;
    const allocation = (one: SnapshotAllocation): SnapshotAllocation => ({
      ...one,
      id: bare(one.id),
      application: bare(one.application),
      resources: plain(one.resources),
    });
    const live = <T extends { usage: Resources; inFlight: Resources }>(one: T): T => ({
      ...one,
      usage: plain(one.usage),
      inFlight: plain(one.inFlight),
    });
    const application = <T extends { id: string; pending?: { resources: Resources; count: number }[] }>(
      one: T,
    ): T => ({
      ...one,
      id: bare(one.id),
      ...(one.pending && {
        pending: one.pending.map((request) => ({ ...request, resources: plain(request.resources) })),
      }),
    });
    const node = (one: SnapshotNode): SnapshotNode => ({
      ...one,
      ...(one.capacity && { capacity: plain(one.capacity) }),
    });
    return {
      name: known.name,
      assertKnown: (of) => known.assertKnown(of),
      resourceTypes: (of) => known.resourceTypes(of),
      budgetsLeft: (of, budgets, but) => known.budgetsLeft(of, budgets, but),
      async gangs(of, applications) {
        const found = await known.gangs(of, applications.map(names.applicationOf, names));
        return new Map([...found].map(([id, gang]) => [bare(id), gang]));
      },
      capacity: async (of) => plain(await known.capacity(of)),
      async snapshot(of) {
        const snapshot = await known.snapshot(of);
        return {
          ...snapshot,
          ...(snapshot.nodes && { nodes: snapshot.nodes.map(node) }),
          applications: snapshot.applications.map(application),
          allocations: snapshot.allocations.map(allocation).sort((a, b) => (a.id < b.id ? -1 : 1)),
        };
      },
      async usage(of, queues) {
        return new Map([...(await known.usage(of, queues))].map(([queue, usage]) => [queue, live(usage)]));
      },
      versions: (of, queues) => known.versions(of, queues),
      held: (of, queues) => known.held(of, queues),
      queuesWithWork: (of) => known.queuesWithWork(of),
      async application(of, id) {
        const found = await known.application(of, names.applicationOf(id));
        return found && live({ ...found, application: application(found.application) });
      },
      async node(of, id) {
        const found = await known.node(of, id);
        return found && live({ ...found, node: node(found.node) });
      },
      async allocations(of) {
        const found = await known.allocations({ ...of, ...(of.after && { after: names.podOf(of.after) }) });
        return found.map(allocation);
      },
      async applications(of) {
        const after = of.after && names.applicationOf(of.after);
        const found = await known.applications({ ...of, ...(after && { after }) });
        return found.map((one) => live({ ...one, id: bare(one.id) })).sort((a, b) => (a.id < b.id ? -1 : 1));
      },
      async allocation(of, id) {
        const found = await known.allocation(of, names.podOf(id));
        return found && allocation(found);
      },
      carriedOut: (id) => known.carriedOut(id),
      evict: (request, gate) => {
        const asBare: EvictionGate = (tx, requests) =>
          gate(
            tx,
            requests.map((one) => ({ ...one, allocation: bare(one.allocation) })),
          );
        return this.evict({ ...request, allocation: names.podOf(request.allocation) }, asBare);
      },
    };
  }
}
