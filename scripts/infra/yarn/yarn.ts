import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { launch } from '../server/launch.js';
import { ownFolder } from '../server/own-folder.js';
import { portRange } from '../server/ports.js';
import { Server } from '../server/server.js';
import { buildYarn, yarnJava, yarnSources } from './program.js';

export interface YarnOptions {
  /** Default: one of its own, below the folder for temporary files. */
  folder?: string;
  /** Default 2. Each has 64 GiB and 64 vcores. */
  nodes?: number;
  /** Called before its first start with the folder of its configuration, whose files it may replace. */
  configure?: (conf: string) => Promise<void>;
  progress?: (line: string) => void;
}

const managerPorts = 5;
const portsOfNode = 4;
const answerMs = 2000;
const pollMs = 50;

/** A real ResourceManager with real NodeManagers on the loopback interface, in two processes; only the containers are pretended. */
export class Yarn {
  constructor(
    readonly folder: string,
    readonly manager: Server,
    readonly nodes: Server,
    private readonly count: number,
  ) {}

  /** Of the manager's REST API. */
  get url(): string {
    return `http://127.0.0.1:${this.manager.ports.rest}`;
  }

  /** Each request that the manager has answered, a line each, with its caller, path and status. */
  get requestLog(): string {
    return join(this.folder, 'requests.log');
  }

  /** Some eight seconds on a quiet machine. @throws InfraError with the end of the log of what did not start. */
  async start(): Promise<void> {
    await Promise.all([this.manager.start(), this.nodes.start()]);
    while ((await activeNodes(this.url)) !== this.count) await delay(pollMs);
  }

  async remove(): Promise<void> {
    await Promise.all([this.nodes.kill(), this.manager.kill()]);
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Builds YARN if need be, and starts one. */
export async function startYarn(options: YarnOptions = {}): Promise<Yarn> {
  const { folder = ownFolder(), nodes = 2, progress = () => {} } = options;
  await buildYarn(progress);
  const conf = join(folder, 'conf');
  await mkdir(folder, { recursive: true });
  await cp(join(yarnSources, 'conf'), conf, { recursive: true });
  await options.configure?.(conf);
  const first = await portRange(managerPorts + portsOfNode * nodes);
  const rest = `http://127.0.0.1:${first}`;
  const common = { conf, requests: join(folder, 'requests.log') };
  const part = (
    name: 'manager' | 'nodes',
    ports: Record<string, number>,
    words: string[],
    heapMegabytes: number,
  ) => {
    const own = join(folder, name);
    const log = join(own, 'server.log');
    return new Server(
      {
        name: name === 'manager' ? 'ResourceManager' : 'NodeManagers',
        folder: own,
        log,
        ports,
        stopSignal: 'SIGTERM',
        leashSignal: 'KILL',
        launch: async () => {
          const { java, words: all } = await yarnJava([name, join(folder, 'data'), String(first), ...words], {
            ...common,
            heapMegabytes,
            ...(name === 'nodes' && { requests: '/dev/null' }),
          });
          return launch(java, all, { cwd: own, log });
        },
        isReady: async () => name === 'nodes' || (await isActive(rest)),
      },
      true,
    );
  };
  const ports = { rest: first, ...named('manager', first + 1, managerPorts - 1) };
  const yarn = new Yarn(
    folder,
    part('manager', ports, [], 256),
    part(
      'nodes',
      named('node', first + managerPorts, portsOfNode * nodes),
      [String(nodes), String(first + managerPorts)],
      256,
    ),
    nodes,
  );
  await yarn.start();
  return yarn;
}

const named = (name: string, first: number, count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, first + index]));

/** Never rejects. */
async function answer(url: string): Promise<unknown> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(answerMs) });
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  }
}

async function isActive(url: string): Promise<boolean> {
  const info = (await answer(`${url}/ws/v1/cluster/info`)) as
    | { clusterInfo?: { haState?: string } }
    | undefined;
  return info?.clusterInfo?.haState === 'ACTIVE';
}

async function activeNodes(url: string): Promise<number | undefined> {
  const metrics = (await answer(`${url}/ws/v1/cluster/metrics`)) as
    | { clusterMetrics?: { activeNodes?: number } }
    | undefined;
  return metrics?.clusterMetrics?.activeNodes;
}
