import { hostname } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { type DynamicModule, Module } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import { InventoryControl } from '#clusters';
import { BrokenInvariant } from '#contracts';
import { inboundTopics } from '#contracts/events';
import { BusError, type EventBus, EventBusTransport, startEventHandlers } from '#messaging';
import {
  closeAtTheEnd,
  createHttpApp,
  FrontDoor,
  Metrics,
  Readiness,
  readPolicy,
  type Shutdown,
  serveHttp,
  WaitingForServers,
} from '#platform';
import { clusterParts } from './clusters.js';
import { collectAfterStart } from './collect-after-start.js';
import { collectWhenCalm } from './collect-when-calm.js';
import { Housekeeping } from './housekeeping.js';
import { KeptPostgres } from './kept-postgres.js';
import { limitsOnRecord } from './note-limits.js';
import { openRuntime, type Runtime } from './runtime.js';
import { runtimeModule } from './runtime.module.js';
import { clockSampler, lagSampler, SampleInventory, type Sampler } from './samples.js';
import { checksOf, databaseCheck, type RuntimeSettings, serversOf } from './servers.js';
import type { ServiceApp } from './service-app.js';
import type { ClusterSettings } from './settings/cluster-settings.js';
import { sharedTrims } from './trims.js';

@Module({})
class AppsModule {}

/** The apps as one module, with their shared providers. */
export function appsModule(runtime: Runtime, apps: ServiceApp[], settings: ClusterSettings): DynamicModule {
  const cluster = clusterParts(settings, runtime.watermark);
  return {
    module: AppsModule,
    imports: [runtimeModule(runtime, cluster.providers, cluster.imports), ...apps.map((app) => app.module)],
  };
}

export interface RunningApps {
  app: NestExpressApplication;
  /** Its address, `http://127.0.0.1:8080`. */
  url: string;
  runtime: Runtime;
}

export interface RunContext {
  log: Logger;
  shutdown: Shutdown;
  /** The name of the process in its log and for the brokers: `timer`. */
  name: string;
  /** Servers may start later; without it an unreachable database is an error. */
  isPatient?: boolean;
  /** Called when routes and providers exist, before anything runs. */
  beforeStart?: (app: NestExpressApplication, runtime: Runtime) => Promise<void>;
}

/**
 * Runs apps in this process until `shutdown` ends them; everything that has to be ended is registered there, even if
 * this throws halfway. It listens from the first moment, and is ready when everything is (`FrontDoor`).
 *
 * @throws SettingsError when settings conflict, or the address cannot be listened on.
 */
export async function runApps(
  apps: ServiceApp[],
  settings: RuntimeSettings,
  { log, shutdown, name, isPatient = false, beforeStart = async () => {} }: RunContext,
): Promise<RunningApps> {
  const usesWakeUpQueue = apps.some((app) => app.usesWakeUpQueue);
  const clientId = `curtail-${name.replaceAll(' ', '-')}-${hostname()}-${process.pid}`;
  const servers = serversOf(settings, { clientId, usesWakeUpQueue });
  const readiness = new Readiness();
  for (const check of checksOf(servers)) readiness.register(check);
  const waiting = new WaitingForServers(readiness, log);
  const door = await FrontDoor.open(settings, () => waiting.down);
  closeAtTheEnd(door, readiness, shutdown);
  if (isPatient) {
    log.info({ url: door.url }, `The ${name} listens at ${door.url}, and is not ready yet.`);
    waiting.start();
  }

  const server = servers.databaseUrl ? undefined : await startDatabase(settings.dataDir, log, shutdown);
  const databaseUrl = servers.databaseUrl ?? server!.url;
  readiness.register(databaseCheck(databaseUrl, { server }));
  let metrics: Metrics | undefined;
  const runtime = await openRuntime(databaseUrl, servers, settings, {
    log,
    shutdown,
    metrics: () => metrics,
    usesWakeUpQueue,
    takesCommands: apps.some((app) => app.takesCommands),
    waiting: isPatient ? waiting : undefined,
  });
  readiness.register(databaseCheck(databaseUrl, { writes: runtime.writes, server }));
  const page = apps.find((service) => service.page !== undefined)?.page;
  const app = await createHttpApp(appsModule(runtime, apps, settings), settings, {
    name,
    log,
    shutdown,
    readiness,
    server: door.server,
    ...(server !== undefined && { whyAway: () => server.refusal }),
    ...(page !== undefined && { page }),
  });
  metrics = app.get(Metrics, { strict: false });
  readiness.remarkWith(() =>
    runtime.bus
      .waiting()
      .map(
        ({ consumer, where, type, schemaVersion }) =>
          `${consumer} at ${where}: ${type} in version ${schemaVersion}`,
      ),
  );
  readiness.register({
    name: 'consumers',
    check: async () => {
      const [first] = runtime.bus.stopped();
      if (first) throw new BusError('consumer-stopped', `${first.consumer} cannot read: ${first.reason}`);
    },
  });
  await app.init();
  await beforeStart(app, runtime);
  await startAll(apps, app, runtime, settings, { log, shutdown });
  keepHouse(apps, runtime, settings, app.get(Metrics, { strict: false }), { log, shutdown });
  await waiting.stop();
  collectSeldom();
  collectAfterStart();
  collectWhenCalm();
  return { app, runtime, url: await serveHttp(app, door) };
}

async function startAll(
  apps: ServiceApp[],
  app: NestExpressApplication,
  { bus, database }: Runtime,
  settings: RuntimeSettings,
  { log, shutdown }: { log: Logger; shutdown: Shutdown },
): Promise<void> {
  for (const { name, workers = [] } of apps) {
    for (const type of workers) {
      const worker = app.get(type, { strict: false });
      await worker.start();
      shutdown.register('workers', `the ${name}`, () => worker.stop());
    }
  }
  const limited = apps.flatMap(({ name, observesOnly }) =>
    observesOnly === undefined ? [] : [{ name, observesOnly }],
  );
  if (limited.length > 0) {
    const alone = settings.databaseUrl === undefined;
    const limits = limitsOnRecord(database, limited, { log, alone });
    await limits.start();
    shutdown.register('workers', 'the record of its mode', () => limits.stop());
  }
  await startEventHandlers(app, new EventBusTransport(bus, settings.kafkaBrokers !== undefined));
  warnOfUnknownSenders(bus, settings, log);
  const metrics = app.get(Metrics, { strict: false });
  const sample = (what: string, sampler: Sampler) => {
    sampler.start();
    shutdown.register('workers', what, () => sampler.stop());
  };
  sample('the gauges', lagSampler(bus, metrics, log));
  if (settings.cluster === 'simulated') return;
  const takesReports = bus.consumers().some(({ topics }) => topics.includes(inboundTopics.inventory));
  const inventory = app.get(InventoryControl, { strict: false });
  const options = { log, logsNotices: takesReports };
  sample('the gauges of the inventory', new SampleInventory(inventory, metrics.inventory, options).sampler());
  sample('the gauges of clocks', clockSampler(database, metrics, log));
}

/** Kafka tells a consumer nothing of a sender: what the policy file does not say, nobody knows. */
function warnOfUnknownSenders(bus: EventBus, settings: RuntimeSettings, log: Logger): void {
  const { kafkaBrokers, policyFile, kafkaTopicPrefix } = settings;
  if (kafkaBrokers === undefined) return;
  if (policyFile !== undefined && readPolicy(policyFile).senders !== undefined) return;
  const read = new Set<string>(bus.consumers().flatMap(({ topics }) => topics));
  for (const base of Object.values(inboundTopics).filter((topic) => read.has(topic))) {
    const topic = kafkaTopicPrefix + base;
    log.warn(
      { topic },
      `Everyone who may write to ${topic} is believed: name its senders in the policy file (docs/how-to/senders.md).`,
    );
  }
}

function keepHouse(
  apps: ServiceApp[],
  { database }: Runtime,
  settings: RuntimeSettings,
  metrics: Metrics,
  { log, shutdown }: { log: Logger; shutdown: Shutdown },
): void {
  const trims = [...sharedTrims(settings), ...apps.flatMap((app) => app.trims?.(settings) ?? [])];
  const housekeeping = new Housekeeping(database, log, trims, metrics.tables);
  housekeeping.start();
  shutdown.register('workers', 'the housekeeping', () => housekeeping.stop());
}

async function startDatabase(
  dataDir: string | undefined,
  log: Logger,
  shutdown: Shutdown,
): Promise<KeptPostgres> {
  if (dataDir === undefined) throw new BrokenInvariant('neither a database nor a folder for one is given');
  const server = await KeptPostgres.start({ dataDir }, log);
  shutdown.register('postgres', 'PostgreSQL', () => server.stop());
  server.whenLost(() => void shutdown.run(1));
  return server;
}

/**
 * Sets the garbage collector of V8: the heap may grow by 300 % between full collections, instead of about 50 %. With
 * ten thousand clocks and a hundred runs a second, a full collection ran every 8 seconds and delayed timers that were
 * due by a tenth of a second: its duration depends on the live memory, not on the garbage. The limit of the heap, and
 * with it that of a container, does not change: close to it, collections are as frequent as before. What a start leaves is collected
 * before, and from here on the part for new objects may double as often as usual.
 *
 * Other flags of the collector may end a process that is running already: V8 checks them against what it has done until then.
 */
function collectSeldom(): void {
  setFlagsFromString('--heap-growing-percent=300');
  setFlagsFromString('--semi-space-growth-factor=2');
}
