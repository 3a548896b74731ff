import { EVENT_BUS, type EventBus } from '@curtail/messaging';
import { type DynamicModule, Module } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import { Readiness } from '../health/readiness.js';
import { createHttpApp } from '../http/create-http-app.js';
import { serveHttp } from '../http/serve-http.js';
import { Metrics } from '../metrics/metrics.js';
import type { Shutdown } from '../shutdown/shutdown.js';
import { simulatedCluster } from './clusters.js';
import type { CurtailSettings } from './curtail-settings.js';
import { Housekeeping } from './housekeeping.js';
import { openRuntime, type Runtime } from './runtime.js';
import { runtimeModule } from './runtime.module.js';
import { SampleLag } from './sample-lag.js';
import type { ServiceApp } from './service-app.js';

@Module({})
class AppsModule {}

/** The apps as one module, on what they share. */
export function appsModule(runtime: Runtime, apps: ServiceApp[]): DynamicModule {
  return {
    module: AppsModule,
    imports: [
      runtimeModule(runtime, simulatedCluster.providers, simulatedCluster.imports),
      ...apps.map((app) => app.module),
    ],
  };
}

export interface RunningApps {
  app: NestExpressApplication;
  /** Where it listens, `http://127.0.0.1:8080`. */
  url: string;
  runtime: Runtime;
}

/**
 * Runs apps in this process until `shutdown` ends them; what has to be ended is registered there, also when this throws on
 * the way.
 *
 * @param beforeStart when routes and providers are there, and nothing runs yet.
 * @throws SettingsError when the address cannot be listened on.
 */
export async function runApps(
  apps: ServiceApp[],
  settings: CurtailSettings,
  { log, shutdown }: { log: Logger; shutdown: Shutdown },
  beforeStart: (app: NestExpressApplication, runtime: Runtime) => Promise<void> = async () => {},
): Promise<RunningApps> {
  let metrics: Metrics | undefined;
  const { runtime, endWith } = await openRuntime(settings, log, () => metrics);
  endWith(shutdown);
  const app = await createHttpApp(appsModule(runtime, apps), settings, { log, shutdown });
  metrics = app.get(Metrics, { strict: false });
  app.get(Readiness, { strict: false }).register({
    name: 'database',
    check: async () => {
      await runtime.database.query('SELECT 1');
    },
  });
  await app.init();
  await beforeStart(app, runtime);

  const bus = app.get<EventBus>(EVENT_BUS, { strict: false });
  for (const { name, consumers = [], workers = [] } of apps) {
    for (const consumer of consumers) bus.subscribe(app.get(consumer, { strict: false }));
    for (const type of workers) {
      const worker = app.get(type, { strict: false });
      await worker.start();
      shutdown.register('workers', `the ${name}`, () => worker.stop());
    }
  }
  await bus.start();
  const lag = new SampleLag(bus, app.get(Metrics, { strict: false }), log);
  lag.start();
  shutdown.register('workers', 'the gauges', () => lag.stop());
  const housekeeping = new Housekeeping(runtime.database, log);
  housekeeping.start();
  shutdown.register('workers', 'the housekeeping', () => housekeeping.stop());
  return { app, runtime, url: await serveHttp(app, settings) };
}
