import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setUp } from '../programs/set-up.js';
import { launch } from '../server/launch.js';
import { ownFolder } from '../server/own-folder.js';
import { freePorts } from '../server/ports.js';
import { Server } from '../server/server.js';
import { brokerProperties, type Listener } from './broker-properties.js';
import { servesClients } from './broker-ready.js';
import { archiveFlags } from './class-archive.js';
import { prepareData, type ScramUser } from './formatted-data.js';
import { javaWords, type Tuning } from './java-words.js';

/** Ports of a broker: `client` for all clients, `controller` for brokers among themselves, others by listener. */
export type BrokerPorts = { client: number; controller: number } & Record<string, number>;

export interface BrokerOptions {
  /** Default: one of its own, below the folder for temporary files, which `remove` removes. */
  folder?: string;
  /** Default: free ones. */
  ports?: BrokerPorts;
  /** False for one that is to outlive this process. Default true. */
  leashed?: boolean;
  /** Default `small`. */
  tuning?: Tuning;
  /**
   * The port of a proxy. The broker then has a second listener, on its port `proxied`, whose clients it sends to the proxy: those
   * that begin there stay behind it, as they would not behind a proxy alone.
   */
  proxyPort?: number;
  /** Further properties, as in server.properties. */
  settings?: Record<string, string | number>;
}

/** The additions of a broker to a plain one. */
export interface BrokerMore {
  nodeId?: number;
  /** All of the cluster, by node id. */
  controllerPorts?: ReadonlyMap<number, number>;
  listeners?: readonly Listener[];
  users?: ScramUser[];
  /** For the virtual machine. */
  flags?: string[];
}

export class KafkaServer extends Server {
  get port(): number {
    return this.ports.client as number;
  }

  /** As clients take them. Without encryption or password. */
  get brokers(): string[] {
    return [`127.0.0.1:${this.port}`];
  }
}

/** Describes a broker, by default a cluster of its own, without starting it. */
export async function openKafka(options: BrokerOptions = {}, more: BrokerMore = {}): Promise<KafkaServer> {
  const { folder = ownFolder(), leashed = true, tuning, proxyPort, settings } = options;
  const ports: BrokerPorts = options.ports ?? (await freePorts(['client', 'controller', 'proxied'] as const));
  const { nodeId = 1, controllerPorts = new Map([[nodeId, ports.controller]]), flags = [] } = more;
  const listeners: Listener[] = [
    { name: 'PLAINTEXT', port: ports.client, protocol: 'PLAINTEXT' },
    ...(proxyPort
      ? [
          {
            name: 'PROXIED',
            port: ports.proxied as number,
            protocol: 'PLAINTEXT',
            advertised: `127.0.0.1:${proxyPort}`,
          } as const,
        ]
      : []),
    ...(more.listeners ?? []),
  ];
  const log = join(folder, 'server.log');
  const dataFolder = join(folder, 'data');
  return new KafkaServer(
    {
      name: 'Kafka',
      folder,
      log,
      ports,
      stopSignal: 'SIGTERM',
      leashSignal: 'KILL',
      launch: async () => {
        const programs = await setUp();
        const file = join(folder, 'server.properties');
        await mkdir(folder, { recursive: true });
        const properties = brokerProperties({ nodeId, dataFolder, controllerPorts, listeners, settings });
        await writeFile(file, properties, { mode: 0o600 });
        await prepareData(programs, { nodeId, dataFolder, users: more.users });
        const words = javaWords(programs, 'kafka.Kafka', [file], tuning);
        return launch(programs.java, [...(await archiveFlags(programs)), ...flags, ...words], {
          cwd: folder,
          log,
        });
      },
      isReady: () => servesClients(nodeId, ports.client),
    },
    leashed,
  );
}

/** Starts one broker, which is a cluster of its own, and waits until it is ready: some 2 s. */
export async function startKafka(options?: BrokerOptions): Promise<KafkaServer> {
  const server = await openKafka(options);
  await server.start();
  return server;
}
