import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const amounts = (memory: number, vCores: number) => ({ memory, vCores });

/** A ResourceManager that is played, with one queue, one node and one application, whose containers end when they are signalled. */
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
  private readonly server: Server;

  private constructor(tasks: number) {
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

  static async start(tasks = 3): Promise<PlayedManager> {
    const manager = new PlayedManager(tasks);
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

  private answer(path: string): [status: number, body: object] {
    const [, container = '', signal] = /^\/containers\/(\w+)\/signal\/(\w+)$/.exec(path) ?? [];
    if (signal !== undefined) {
      this.signals.push(`${container} ${signal}`);
      if (signal === 'FORCEFUL_SHUTDOWN' || this.endsAtTerm) {
        this.containers = this.containers.filter((one) => one !== container);
      }
      return [200, {}];
    }
    const memory = 16_384;
    const capacities = {
      queueCapacitiesByPartition: [
        {
          partitionName: '',
          effectiveMinResource: amounts(memory, 16),
          effectiveMaxResource: amounts(memory, 16),
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
      '/nodes': { nodes: { node: [{ id: 'n1:1', state: 'RUNNING', totalResource: amounts(memory, 16) }] } },
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
              ...{ startedTime: 1000, runningContainers: this.containers.length },
              ...{
                allocatedMB: this.containers.length * 1024,
                allocatedVCores: this.containers.length,
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
          container: this.containers
            .filter((id) => !this.unlisted.has(id))
            .map((containerId) => ({
              ...{ containerId, allocatedMB: '1024', allocatedVCores: '1' },
              ...{ assignedNodeId: 'n1:1', startedTime: '1000' },
            })),
        },
      ];
    }
    return [404, { RemoteException: { message: `nothing at ${path}` } }];
  }
}

const pathOf = ({ url = '' }: IncomingMessage): string =>
  url.replace('/ws/v1/cluster', '').replace(/\?.*/, '');
