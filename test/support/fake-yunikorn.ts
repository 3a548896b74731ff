import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import type { TestKubernetes, Thing } from './kubernetes.js';

interface QueueText {
  name: string;
  resources?: { max?: Record<string, string>; guaranteed?: Record<string, string> };
  properties?: Record<string, string | number>;
  queues?: QueueText[];
}
interface PartitionText {
  name: string;
  preemption?: { quotapreemptionenabled?: boolean };
  queues: QueueText[];
}

const instance = { InstanceUUID: '72aa94bb-8cd3-479f-a701-6f26846dcb16' };
const pollMs = 25;
/** YuniKorn goes by it for the user of an application. */
export const usernameLabel = 'yunikorn.apache.org/username';

/**
 * The REST API of YuniKorn, in the shapes that a real one answers (test/clusters/yunikorn), over the real pods of an API server:
 * those with its scheduler name are its allocations, and its requests while they have no node. It takes its configuration from the
 * ConfigMap as YuniKorn does: what it refuses is saved all the same, and Kubernetes does not report it.
 */
export class FakeYunikorn {
  /** false: as right after its start, before it has registered. */
  isRegistered = true;
  /** false: it takes no configuration over any more, as with `service.enableConfigHotRefresh: "false"`. */
  takesConfigurations = true;
  /** Pods that it does not name, by name. */
  readonly forgotten = new Set<string>();
  /** Why it refuses a configuration. */
  refuses: (text: string) => string | undefined = () => undefined;
  private inForce = 'partitions: [{name: default, queues: [{name: root}]}]\n';
  private server: Server | undefined;
  private port = 0;
  private readonly streams = new Set<ServerResponse>();
  private readonly stopping = new AbortController();
  private watching: Promise<void> | undefined;
  private seen = '';

  constructor(
    private readonly kubernetes: TestKubernetes,
    private readonly namespace: string,
    private readonly configMap = 'yunikorn-configs',
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Also after `down`, under the same address. */
  async up(): Promise<void> {
    const server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        this.answer(request.url ?? '', body, response).catch((error: Error) => {
          send(response, 500, { status_code: 500, message: error.message, description: '' });
        });
      });
    });
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
    this.watching ??= this.watch();
  }

  async down(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    for (const stream of this.streams) stream.destroy();
    this.streams.clear();
    server?.closeAllConnections();
    await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  }

  async close(): Promise<void> {
    this.stopping.abort();
    await this.watching;
    await this.down();
  }

  /** Applies the ConfigMap, and notifies listeners of added and removed pods. */
  private async watch(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const before = this.inForce;
      await this.takeConfiguration().catch(() => undefined);
      const pods = await this.pods().catch(() => []);
      const now = JSON.stringify(pods.map(({ metadata, spec }) => [metadata.uid, spec.nodeName]));
      if (now !== this.seen || before !== this.inForce) {
        for (const stream of this.streams) stream.write(`${JSON.stringify({ type: 2, objectID: 'any' })}\n`);
      }
      this.seen = now;
      await delay(pollMs, undefined, { signal }).catch(() => undefined);
    }
  }

  private async takeConfiguration(): Promise<void> {
    if (!this.takesConfigurations) return;
    const path = `/api/v1/namespaces/${this.namespace}/configmaps/${this.configMap}`;
    const { code, body } = await this.kubernetes.admin.call('GET', path);
    const text = (body as Thing).data?.['queues.yaml'];
    if (code === 200 && text !== undefined && this.refusal(text) === undefined) this.inForce = text;
  }

  private refusal(text: string): string | undefined {
    try {
      parse(text);
    } catch (error) {
      return `yaml: ${(error as Error).message.split('\n')[0]}`;
    }
    return this.refuses(text);
  }

  private async pods(): Promise<Thing[]> {
    const { items } = await this.kubernetes.ask<{ items: Thing[] }>('GET', '/api/v1/pods', undefined, {
      query: { fieldSelector: 'spec.schedulerName=yunikorn' },
    });
    return items.filter(
      ({ metadata, status }) =>
        !['Succeeded', 'Failed'].includes(status.phase) && !this.forgotten.has(metadata.name),
    );
  }

  private async answer(url: string, body: string, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent(url.split('?')[0] ?? '');
    if (path === '/ws/v1/partitions') return send(response, 200, this.partitions());
    if (path === '/ws/v1/fullstatedump') {
      return sendText(response, await readFile('test/clusters/yunikorn/whole-state-dump.json', 'utf8'));
    }
    if (path === '/ws/v1/config') return sendText(response, this.config());
    if (path === '/ws/v1/events/stream') {
      this.streams.add(response);
      response.on('close', () => this.streams.delete(response));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(`${JSON.stringify(instance)}\n`);
      return;
    }
    if (path === '/ws/v1/validate-conf') {
      const reason = this.refusal(body);
      return send(response, 200, { allowed: reason === undefined, reason: reason ?? '' });
    }
    const [, name, rest] = /^\/ws\/v1\/partition\/([^/]+)\/(.+)$/.exec(path) ?? [];
    const partition = this.texts().find((one) => one.name === name);
    if (partition && rest === 'applications/active')
      return send(response, 200, await this.applications(partition.name));
    if (partition && rest === 'queues')
      return send(response, 200, queueOf(partition.queues[0]!, '', '0s', partition.name));
    send(response, 404, { status_code: 404, message: 'Partition not found', description: '' });
  }

  private texts(): PartitionText[] {
    return (parse(this.inForce) as { partitions: PartitionText[] }).partitions;
  }

  private partitions(): object[] {
    if (!this.isRegistered) return [];
    return this.texts().map(({ name, preemption }) => ({
      clusterId: 'mycluster',
      name,
      preemptionEnabled: true,
      quotaPreemptionEnabled: preemption?.quotapreemptionenabled ?? false,
      state: 'Active',
    }));
  }

  /** Written again, with settings of its own. */
  private config(): string {
    const checksum = createHash('sha256').update(this.inForce).digest('hex').toUpperCase();
    return `${stringify({ partitions: this.texts() })}checksum: ${checksum}\nextra:\n    event.trackingEnabled: "true"\n`;
  }

  private async applications(partition: string): Promise<object[]> {
    const byApplication = new Map<string, Thing[]>();
    for (const pod of await this.pods()) {
      const id = pod.metadata.labels?.applicationId ?? 'autogen';
      byApplication.set(id, [...(byApplication.get(id) ?? []), pod]);
    }
    return [...byApplication].map(([applicationID, pods]) => {
      const sorted = pods.sort((a, b) =>
        created(a) + a.metadata.name < created(b) + b.metadata.name ? -1 : 1,
      );
      const first = sorted.find((pod) => !isPlaceholder(pod));
      const reported = sorted.map((pod) => ({
        pod,
        reported: allocationOf(pod, applicationID, pod === first),
      }));
      const those = (isBound: boolean) =>
        reported
          .filter(({ pod }) => (pod.spec.nodeName !== undefined) === isBound)
          .map((one) => one.reported);
      const [allocations, requests] = [those(true), those(false)];
      return {
        applicationID,
        partition,
        queueName: sorted[0]?.metadata.labels?.queue ?? 'root.default',
        submissionTime: Date.parse(created(sorted[0]!)) * 1e6,
        // Empty lists are left out.
        ...(requests.length > 0 && { requests }),
        ...(allocations.length > 0 && { allocations }),
        applicationState: 'Running',
        user: sorted[0]?.metadata.labels?.[usernameLabel] ?? 'nobody',
      };
    });
  }
}

const created = ({ metadata }: Thing): string =>
  String((metadata as Thing['metadata'] & { creationTimestamp: string }).creationTimestamp);
const isPlaceholder = ({ metadata }: Thing) =>
  metadata.annotations?.['yunikorn.apache.org/placeholder'] === 'true';

function allocationOf(pod: Thing, applicationId: string, originator: boolean): object {
  const { name, namespace, uid } = pod.metadata;
  const time = Date.parse(created(pod)) * 1e6;
  const { cpu, memory } = pod.spec.containers[0].resources.requests;
  return {
    allocationKey: uid,
    allocationTags: {
      'kubernetes.io/meta/namespace': namespace,
      'kubernetes.io/meta/podName': name,
    },
    requestTime: time,
    ...(pod.spec.nodeName && { allocationTime: time, nodeId: pod.spec.nodeName }),
    resource: { memory: Number.parseInt(memory, 10) * 2 ** 30, pods: 1, vcore: Number(cpu) * 1000 },
    priority: String(pod.spec.priority ?? 0),
    applicationId,
    ...(isPlaceholder(pod) && { placeholder: true }),
    ...(originator && { originator: true }),
  };
}

/** The delay is inherited; a number without a unit is none. */
function queueOf(
  { name, properties, queues = [] }: QueueText,
  parent: string,
  inherited: string,
  partition = '',
): object {
  const queuename = parent ? `${parent}.${name}` : name;
  const own = properties?.['quota.preemption.delay'];
  const quotaPreemptionDelay = own === undefined ? inherited : /^\d+$/.test(String(own)) ? '0s' : String(own);
  return {
    queuename,
    status: 'Active',
    partition,
    isLeaf: queues.length === 0,
    isManaged: true,
    quotaPreemptionDelay,
    ...(queues.length > 0 && {
      children: queues.map((queue) => queueOf(queue, queuename, quotaPreemptionDelay)),
    }),
  };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function sendText(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/x-yaml' }).end(body);
}
