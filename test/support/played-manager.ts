import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const amounts = (memory: number, vCores: number) => ({ memory, vCores });

/** A ResourceManager that is played, with one queue and one application, whose containers end when they are signalled. */
export class PlayedManager {
  readonly app = 'application_1_0001';
  /** Ids of the running containers; the first is the master's. */
  containers: string[];
  /** The signals received: container and kind. */
  readonly signals: string[] = [];
  /** All requests: method and path. */
  readonly asked: string[] = [];
  /** Answers in place of the usual ones, by path, without `/ws/v1/cluster`. */
  readonly instead = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>();
  /** Whether containers end at SIGTERM. */
  endsAtTerm = true;
  /** The next signal is carried out, and its connection closed in place of an answer. */
  losesNextSignal = false;
  /** Containers that are counted, and missing in lists. */
  unlisted = new Set<string>();
  /** When it was started, in milliseconds since 1970: another value is that of a manager that was started again. */
  startedOn = 1;
  /** Nodes that have not come back to a manager that was started again. Their containers run on, and are not shown. */
  readonly away = new Set<string>();
  private readonly server: Server;

  private constructor(
    tasks: number,
    private readonly nodes: readonly string[],
  ) {
    this.containers = Array.from(
      { length: tasks + 1 },
      (_, index) => `container_1_0001_01_${String(index + 1).padStart(6, '0')}`,
    );
    this.server = createServer((request, response) => {
      const path = pathOf(request);
      this.asked.push(`${request.method} ${path}`);
      const other = this.instead.get(path);
      if (other) other(request, response);
      else this.asUsual(request, response);
    });
  }

  static async start(tasks = 3, nodes: readonly string[] = ['n1:1']): Promise<PlayedManager> {
    const manager = new PlayedManager(tasks, nodes);
    await new Promise<void>((resolve) => manager.server.listen(0, '127.0.0.1', resolve));
    return manager;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  /** The usual answer of this moment. */
  asUsual(request: IncomingMessage, response: ServerResponse): void {
    const path = pathOf(request);
    const [status, body] = this.answer(path);
    if (this.losesNextSignal && path.includes('/signal/')) {
      this.losesNextSignal = false;
      request.destroy();
      return;
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  private nodeOf(container: string): string {
    return this.nodes[Number(container.slice(-6)) % this.nodes.length]!;
  }

  private answer(path: string): [status: number, body: object] {
    const nodes = this.nodes.filter((node) => !this.away.has(node));
    const shown = this.containers.filter((id) => nodes.includes(this.nodeOf(id)));
    const [, container = '', signal] = /^\/containers\/(\w+)\/signal\/(\w+)$/.exec(path) ?? [];
    if (signal !== undefined) {
      if (!shown.includes(container)) {
        return [500, { RemoteException: { message: `Trying to signal an absent container ${container}` } }];
      }
      this.signals.push(`${container} ${signal}`);
      if (signal === 'FORCEFUL_SHUTDOWN' || this.endsAtTerm) {
        this.containers = this.containers.filter((one) => one !== container);
      }
      return [200, {}];
    }
    const size = amounts(16_384, 16);
    const all = amounts(nodes.length * size.memory, nodes.length * size.vCores);
    const capacities = {
      queueCapacitiesByPartition: [
        {
          partitionName: '',
          effectiveMinResource: all,
          effectiveMaxResource: all,
        },
      ],
    };
    const [whole] = capacities.queueCapacitiesByPartition;
    const ofProd = { queueCapacitiesByPartition: [{ ...whole, effectiveMinResource: amounts(1024, 1) }] };
    const answers: Record<string, object> = {
      '/info': {
        clusterInfo: {
          ...{ startedOn: this.startedOn, state: 'STARTED', haState: 'ACTIVE' },
          resourceManagerVersion: '3.4.2',
        },
      },
      '/nodes': { nodes: { node: nodes.map((id) => ({ id, state: 'RUNNING', totalResource: size })) } },
      '/scheduler': {
        scheduler: {
          schedulerInfo: {
            type: 'capacityScheduler',
            queueName: 'root',
            capacities,
            queues: { queue: [{ queueName: 'prod', capacities: ofProd }] },
          },
        },
      },
      '/scheduler-conf/version': { versionID: 1 },
      '/scheduler-conf': {
        property: [
          { name: 'yarn.scheduler.capacity.root.queues', value: 'prod' },
          { name: 'yarn.scheduler.capacity.root.prod.capacity', value: '100' },
        ],
      },
      '/apps': {
        apps: {
          app: [
            {
              ...{ id: this.app, user: 'alice', queue: 'root.prod', state: 'RUNNING', priority: 1 },
              ...{ startedTime: 1000, runningContainers: shown.length },
              ...{
                allocatedMB: shown.length * 1024,
                allocatedVCores: shown.length,
                amContainerLogs: `http://n1/container_1_0001_01_000001`,
              },
            },
          ],
        },
      },
    };
    const found = answers[path];
    if (found) return [200, found];
    if (path.endsWith('/containers')) {
      return [
        200,
        {
          container: shown
            .filter((id) => !this.unlisted.has(id))
            .map((containerId) => ({
              ...{ containerId, allocatedMB: '1024', allocatedVCores: '1' },
              ...{ assignedNodeId: this.nodeOf(containerId), startedTime: '1000' },
            })),
        },
      ];
    }
    return [404, { RemoteException: { message: `nothing at ${path}` } }];
  }
}

const pathOf = ({ url = '' }: IncomingMessage): string =>
  url.replace('/ws/v1/cluster', '').replace(/\?.*/, '');
