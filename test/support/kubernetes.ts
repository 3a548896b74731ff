import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Call, KubernetesApi } from '#agents/kubernetes';
import { type ControlPlane, openControlPlane, type User } from '../../scripts/infra/index.js';

/** An object of the API, as far as tests read it. */
export interface Thing {
  metadata: {
    name: string;
    namespace?: string;
    uid: string;
    resourceVersion: string;
    generation?: number;
    deletionTimestamp?: string;
    deletionGracePeriodSeconds?: number;
    annotations?: Record<string, string>;
    labels?: Record<string, string>;
    finalizers?: string[];
  };
  // biome-ignore lint/suspicious/noExplicitAny: any field that a test reads
  [field: string]: any;
}

export interface PodSpec {
  cpu?: string;
  memory?: string;
  /** Default: `node` of the cluster; undefined leaves it to the scheduler. */
  node?: string | undefined;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  owner?: { apiVersion: string; kind: string; name: string; uid: string };
  finalizers?: string[];
  /** Of its grace period. */
  graceSeconds?: number;
  /** Instead of, or besides, what the other fields say. */
  spec?: object;
}

const longestWaitMs = 120_000;
const remindAfterMs = 15_000;
const checkEveryMs = 25;
const remindEveryMs = 10_000;

/** The Kubernetes of the lane, with the hands of its admin. Objects that a suite makes are removed by `clear`. */
export class TestKubernetes {
  private readonly namespaces = new Set<string>();
  private readonly nodes = new Set<string>();

  private constructor(
    readonly plane: ControlPlane,
    readonly admin: KubernetesApi,
    private readonly folder: string,
  ) {}

  static async open(): Promise<TestKubernetes> {
    const folder = process.env.CURTAIL_TEST_CONTROL_PLANE;
    if (!folder)
      throw new Error('No Kubernetes: name the file *.clusters.spec.ts and run it with `npm run test:one`.');
    // Programs that a suite restarts must not end with it.
    const plane = await openControlPlane({ folder, leashed: false });
    const own = await mkdtemp(join(tmpdir(), 'curtail-test-kubeconfigs-'));
    const kubeconfig = await plane.writeKubeconfig(join(own, 'admin'));
    return new TestKubernetes(plane, KubernetesApi.open({ kubeconfig }), own);
  }

  /** The name of a new kubeconfig. */
  kubeconfig(to: { user?: User; server?: string } = {}): Promise<string> {
    return this.plane.writeKubeconfig(join(this.folder, randomBytes(6).toString('hex')), to);
  }

  /** Removes all that was made through this, without waiting until namespaces are gone. */
  async close(): Promise<void> {
    await this.clear();
    this.admin.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  async clear(): Promise<void> {
    for (const namespace of this.namespaces) {
      for (const pod of await this.pods(namespace)) {
        if (pod.metadata.finalizers) await this.patch(pathOf(pod), { metadata: { finalizers: null } });
      }
      await this.remove(`/api/v1/namespaces/${namespace}/pods`, 0);
      await this.remove(`/api/v1/namespaces/${namespace}`);
    }
    for (const node of this.nodes) await this.remove(`/api/v1/nodes/${node}`);
    this.namespaces.clear();
    this.nodes.clear();
  }

  /** A call that has to succeed. */
  async ask<T = Thing>(method: string, path: string, body?: unknown, call: Call = {}): Promise<T> {
    const answer = await this.admin.call(method, path, { ...call, ...(body !== undefined && { body }) });
    if (answer.code < 300) return answer.body as T;
    throw new Error(`${method} ${path} answered ${answer.code}: ${JSON.stringify(answer.body)}`);
  }

  patch(path: string, body: object): Promise<Thing> {
    return this.ask('PATCH', path, body, { contentType: 'application/merge-patch+json' });
  }

  async remove(path: string, graceSeconds?: number): Promise<void> {
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: graceSeconds };
    const { code } = await this.admin.call('DELETE', path, { body });
    if (code >= 300 && code !== 404 && code !== 409) throw new Error(`DELETE ${path} answered ${code}`);
  }

  /** A new node, with room for everything by default. */
  async node(
    capacity: Record<string, string> = { cpu: '1000', memory: '4Ti', pods: '10000' },
    name = `node-${randomBytes(3).toString('hex')}`,
  ): Promise<string> {
    await this.ask('POST', '/api/v1/nodes', {
      metadata: { name, labels: { 'kubernetes.io/hostname': name } },
      status: { capacity, allocatable: capacity },
    });
    this.nodes.add(name);
    await this.until(`${name} to take pods`, async () => {
      const { spec, status } = await this.ask('GET', `/api/v1/nodes/${name}`);
      const ready = status.conditions?.find(({ type }: { type: string }) => type === 'Ready');
      return ready?.status === 'True' && !spec.taints;
    });
    return name;
  }

  /** A new namespace in which pods can be made. */
  async namespace(
    of: {
      annotations?: Record<string, string>;
      labels?: Record<string, string>;
      quota?: Record<string, string>;
      name?: string;
    } = {},
  ): Promise<string> {
    const { annotations, labels, quota, name = `ns-${randomBytes(4).toString('hex')}` } = of;
    await this.ask('POST', '/api/v1/namespaces', { metadata: { name, annotations, labels } });
    this.namespaces.add(name);
    if (quota) await this.quota(name, quota);
    await this.until(`the account of ${name}`, async () => {
      const { code } = await this.admin.call('GET', `/api/v1/namespaces/${name}/serviceaccounts/default`);
      return code === 200;
    });
    return name;
  }

  /** Saves the ResourceQuota `quota` of a namespace. */
  async quota(namespace: string, hard: Record<string, string>, name = 'quota'): Promise<void> {
    const path = `/api/v1/namespaces/${namespace}/resourcequotas`;
    const there = await this.admin.call('GET', `${path}/${name}`);
    if (there.code === 200) await this.patch(`${path}/${name}`, { spec: { hard } });
    else await this.ask('POST', path, { metadata: { name }, spec: { hard } });
  }

  /** A new pod that asks for a CPU, by default. */
  pod(namespace: string, name: string, of: PodSpec & { node: string | undefined }): Promise<Thing> {
    return this.ask('POST', `/api/v1/namespaces/${namespace}/pods`, podOf(name, of));
  }

  /** New pods, all running, in the order of their names. */
  async runningPods(namespace: string, names: string[], of: PodSpec & { node: string }): Promise<Thing[]> {
    await Promise.all(names.map((name) => this.pod(namespace, name, of)));
    let pods: Thing[] = [];
    let remindAt = performance.now() + remindEveryMs;
    return this.until(
      `${names.join(', ')} to run`,
      async () => {
        pods = (await this.pods(namespace)).filter(({ metadata }) => names.includes(metadata.name));
        const running = pods.filter(({ status }) => status.phase === 'Running');
        if (running.length === names.length) return running;
        if (performance.now() > remindAt) {
          remindAt = performance.now() + remindEveryMs;
          await this.remind(pods);
        }
        return undefined;
      },
      () => JSON.stringify(pods.map(({ metadata, status }) => [metadata, status])),
    );
  }

  /**
   * A pod that replaced one of its name was once not run by kwok, which plays the kubelets. It looks again at a pod that is changed.
   */
  private async remind(pods: Thing[]): Promise<void> {
    const annotations = { reminded: new Date().toISOString() };
    const waiting = pods.filter(({ status }) => status.phase !== 'Running');
    await Promise.all(waiting.map((pod) => this.patch(pathOf(pod), { metadata: { annotations } })));
  }

  /**
   * The same of pods whose grace period is long over: kwok gives up a pod whose end it could not write, since the API server was away. One
   * that ends meanwhile is not there to be changed.
   */
  async remindOfEnds(pods: Thing[]): Promise<void> {
    const overdue = pods.filter(({ metadata: { deletionTimestamp, annotations } }) => {
      const since = Math.max(
        Date.parse(deletionTimestamp ?? '9999-12-31'),
        Date.parse(annotations?.reminded ?? '1970-01-01'),
      );
      return Date.now() - since > remindAfterMs;
    });
    const annotations = { reminded: new Date().toISOString() };
    await Promise.allSettled(overdue.map((pod) => this.patch(pathOf(pod), { metadata: { annotations } })));
  }

  async pods(namespace: string): Promise<Thing[]> {
    return (await this.ask<{ items: Thing[] }>('GET', `/api/v1/namespaces/${namespace}/pods`)).items;
  }

  /** Names of the pods that are there and are not being deleted. */
  async remaining(namespace: string): Promise<string[]> {
    const pods = await this.pods(namespace);
    return pods.filter(({ metadata }) => !metadata.deletionTimestamp).map(({ metadata }) => metadata.name);
  }

  /** The pods whose eviction the API server has accepted, each as often as it was; of rehearsals nothing. */
  async accepted(namespace: string): Promise<string[]> {
    const lines = (await readFile(this.plane.evictionLog, 'utf8')).split('\n').slice(0, -1);
    return lines.flatMap((line) => {
      const { objectRef, responseStatus, requestURI, requestObject } = JSON.parse(line);
      const isRehearsal = requestURI.includes('dryRun=') || requestObject?.deleteOptions?.dryRun?.length > 0;
      const isMeant = objectRef.namespace === namespace && responseStatus?.code === 201 && !isRehearsal;
      return isMeant ? [objectRef.name as string] : [];
    });
  }

  /** Curtail's events on objects of the namespace. */
  async events(namespace: string): Promise<{ on: string; reason: string; note: string; type: string }[]> {
    const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
    const { items } = await this.ask<{ items: Thing[] }>('GET', path);
    return items
      .filter(({ reportingController }) => reportingController === 'curtail.io/agent')
      .map(({ regarding, reason, note, type }) => ({
        on: `${regarding.kind}/${regarding.name}`,
        reason,
        note,
        type,
      }));
  }

  /** A disruption budget over the pods with a label, as soon as its controller has counted. */
  async budget(
    namespace: string,
    name: string,
    minAvailable: number,
    labels: Record<string, string>,
  ): Promise<void> {
    const path = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
    await this.ask('POST', path, {
      metadata: { name },
      spec: { minAvailable, selector: { matchLabels: labels } },
    });
    await this.until(`the controller to see the budget ${name}`, async () => {
      const { status } = await this.ask('GET', `${path}/${name}`);
      return status?.observedGeneration !== undefined && status.expectedPods > 0;
    });
  }

  /** How many evictions the budget allows now. */
  async allowed(namespace: string, budget: string): Promise<number> {
    const path = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets/${budget}`;
    return (await this.ask('GET', path)).status.disruptionsAllowed;
  }

  /** @throws if `read` finds nothing in time. The error names `what`, and the state that `instead` returns. */
  async until<T>(
    what: string,
    read: () => Promise<T | undefined | false>,
    instead?: () => string,
  ): Promise<T> {
    for (const end = performance.now() + longestWaitMs; ; await delay(checkEveryMs)) {
      const found = await read();
      if (found !== undefined && found !== false) return found;
      if (performance.now() > end) {
        throw new Error(`gave up waiting for ${what}${instead ? `, instead of ${instead()}` : ''}`);
      }
    }
  }
}

/** Of a pod. */
export const pathOf = ({ metadata }: Thing): string =>
  `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;

/** A pod as it is sent to the API server. */
export function podOf(name: string, of: PodSpec & { node: string | undefined }): object {
  const { cpu = '1', memory = '1Gi', node, labels, annotations, owner, finalizers, graceSeconds, spec } = of;
  return {
    metadata: {
      name,
      labels,
      annotations,
      finalizers,
      ownerReferences: owner && [{ ...owner, controller: true }],
    },
    spec: {
      containers: [{ name: 'main', image: 'none', resources: { requests: { cpu, memory } } }],
      nodeName: node,
      terminationGracePeriodSeconds: graceSeconds ?? 1,
      ...spec,
    },
  };
}
