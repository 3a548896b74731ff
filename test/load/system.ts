import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type KafkaConnection, openKafka, planTopics, TopicKeeper } from '#messaging/kafka';
import { profiled } from '../../bench/processes.js';
import { nodeOptions } from '../../scripts/distributed/node-options.js';
import { processesOf, withPorts } from '../../scripts/distributed/places.js';
import type { ServicePlace } from '../../scripts/distributed/service.js';
import { environmentOfServices } from '../../scripts/distributed/service-environment.js';
import { root } from '../../scripts/infra/folders.js';
import { environmentOf, type Three } from '../../scripts/infra/index.js';
import { holdOnLeash } from '../../scripts/infra/server/leash.js';

/** A distributed Curtail: every service a process of its own, on a database and under prefixes that no one else has. */
export interface System {
  /** Of the config ingest. */
  url: string;
  /** Of the console. */
  consoleUrl: string;
  databaseUrl: string;
  brokers: string[];
  /** Names of topics and groups. */
  connection: KafkaConnection;
  /** Of services and servers, by name. */
  pids: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

export interface SystemOptions {
  planners?: number;
  /** Settings of all services. */
  environment?: Record<string, string>;
}

const readyWithinMs = 120_000;
const endWithinMs = 25_000;

/** Starts one, and resolves when all of it is ready. */
export async function startSystem(three: Three, options: SystemOptions = {}): Promise<System> {
  const own = `bench-${randomBytes(4).toString('hex')}`;
  const databaseUrl = await createDatabase(three.postgres.url, own);
  const connection = openKafka({
    brokers: three.kafka.brokers,
    clientId: 'bench',
    topicPrefix: `${own}.`,
  });
  // Before the services: no group has to find out later that its topics are there.
  await new TopicKeeper(connection, { topics: planTopics() }).ready();

  const counts = {
    planners: options.planners ?? 1,
    timers: 1,
    configIngests: 1,
    executors: 1,
    port: 0,
    data: '',
  };
  const places = await withPorts(processesOf(counts), 0);
  const environment = {
    ...environmentOfServices(environmentOf(three), places),
    DATABASE_URL: databaseUrl,
    CURTAIL_KAFKA_TOPIC_PREFIX: `${own}.`,
    CURTAIL_LOG_LEVEL: 'warn',
    CURTAIL_GRACE_SECONDS: '0',
    ...options.environment,
  };
  const services = await Promise.all(
    places.map((place) =>
      startService(place, environment, join(three.postgres.folder, `../${own}-${place.name}.log`)),
    ),
  );
  const stop = async () => {
    await Promise.all(services.map((service) => service.stop()));
  };
  try {
    await Promise.all(services.map((service) => service.ready()));
  } catch (error) {
    await stop();
    throw error;
  }
  const pids = new Map(services.map(({ place, pid }) => [place.name, pid]));
  for (const server of [three.kafka, three.redis, three.postgres]) pids.set(server.name, server.pid ?? 0);
  const urlOf = (wanted: string) => `http://127.0.0.1:${places.find(({ app }) => app === wanted)?.port}`;
  return {
    url: urlOf('config-ingest'),
    consoleUrl: urlOf('console'),
    databaseUrl,
    brokers: three.kafka.brokers,
    connection,
    pids,
    stop,
  };
}

/** The processes of Curtail, without the servers that they use. */
export function servicesOf(pids: System['pids']): [name: string, pid: number][] {
  const servers = ['Kafka', 'Redis', 'PostgreSQL'];
  return [...pids].filter(([name]) => !servers.includes(name));
}

interface Service {
  place: ServicePlace;
  pid: number;
  ready(): Promise<void>;
  stop(): Promise<void>;
}

async function startService(
  place: ServicePlace,
  environment: Record<string, string>,
  log: string,
): Promise<Service> {
  const file = await open(log, 'a');
  const child: ChildProcess = spawn(
    process.execPath,
    [...profiled(), ...nodeOptions, join('dist/apps', place.app, 'src/main.js')],
    {
      cwd: root,
      detached: true,
      stdio: ['ignore', file.fd, file.fd],
      env: { ...process.env, ...environment, CURTAIL_PORT: String(place.port) },
    },
  );
  await file.close();
  const pid = child.pid as number;
  const ended = once(child, 'exit');
  const leash = holdOnLeash(pid, 'KILL');
  void ended.then(() => leash.release());
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    place,
    pid,
    ready: async () => {
      for (const until = Date.now() + readyWithinMs; ; await delay(50)) {
        const answer = await fetch(`http://127.0.0.1:${place.port}/readyz`).catch(() => undefined);
        await answer?.body?.cancel();
        if (answer?.ok) return;
        if (hasEnded() || Date.now() > until)
          throw new Error(`${place.name} is not ready: ${(await readFile(log, 'utf8')).slice(-4000)}`);
      }
    },
    stop: async () => {
      child.kill('SIGTERM');
      const late = new AbortController();
      const tooLate = delay(endWithinMs, undefined, { signal: late.signal }).then(
        () => child.kill('SIGKILL'),
        () => {},
      );
      await ended;
      late.abort();
      await tooLate;
    },
  };
}

/** @returns the address of it. */
export async function createDatabase(url: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`CREATE DATABASE "${name}"`);
  await client.end();
  return url.replace(/\/[^/]*$/, `/${name}`);
}
