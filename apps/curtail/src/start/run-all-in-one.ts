import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { seedSample } from '@curtail/clusters';
import { EVENT_BUS, type EventBus } from '@curtail/messaging';
import {
  type CurtailSettings,
  createHttpApp,
  Metrics,
  openRuntime,
  Readiness,
  type Runtime,
  type Shutdown,
  serveHttp,
} from '@curtail/platform';
import type { INestApplicationContext } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import { SubmitConfiguration } from '../../../config-ingest/src/submit-configuration.js';
import { FoldEvents } from '../../../console/src/read-model/fold-events.js';
import { CarryOutPlans } from '../../../executor/src/carry-out-plans.js';
import { ExecutorService } from '../../../executor/src/executor.service.js';
import { PlanEnforcements } from '../../../planner/src/plan-enforcements.js';
import { KeepClocks } from '../../../timer/src/keep-clocks.js';
import { TimerService } from '../../../timer/src/timer.service.js';
import { allInOneModule } from './all-in-one.module.js';
import { MeasureEvents } from './measure-events.js';
import { SampleGauges } from './sample-gauges.js';

export interface AllInOne {
  app: NestExpressApplication;
  /** Where it listens, `http://127.0.0.1:8080`. */
  url: string;
  runtime: Runtime;
  /** The sample was put in place by this start. */
  seeded: boolean;
}

/**
 * Runs every app in this process until `shutdown` ends it; what has to be ended is registered there, also when this
 * throws on the way.
 *
 * @throws SettingsError when the address cannot be listened on.
 */
export async function runAllInOne(
  settings: CurtailSettings,
  { log, shutdown }: { log: Logger; shutdown: Shutdown },
): Promise<AllInOne> {
  let metrics: Metrics | undefined;
  const { runtime, endWith } = await openRuntime(settings, log, () => metrics);
  endWith(shutdown);
  const app = await createHttpApp(allInOneModule(runtime, settings), settings, { log, shutdown });
  metrics = app.get(Metrics, { strict: false });
  app.get(Readiness, { strict: false }).register({
    name: 'database',
    check: async () => {
      await runtime.database.query('SELECT 1');
    },
  });
  // Routes and providers are there; nothing runs until the sample is in place.
  await app.init();
  const seeded = settings.sample === 'yes' && (await seedFirstLook(app, runtime));
  await startWorkers(app, runtime, shutdown);
  return { app, runtime, seeded, url: await serveHttp(app, settings) };
}

/** Starts the consumers and the workers of all apps, and registers their ends. */
async function startWorkers(
  app: INestApplicationContext,
  runtime: Runtime,
  shutdown: Shutdown,
): Promise<void> {
  const get = <T>(token: new (...args: never[]) => T): T => app.get(token, { strict: false });
  const bus = app.get<EventBus>(EVENT_BUS, { strict: false });
  const timer = get(TimerService);
  const executor = get(ExecutorService);
  const metrics = get(Metrics);

  timer.onStarted = (lateMs) => metrics.timerLateness.observe(lateMs / 1000);
  for (const consumer of [KeepClocks, PlanEnforcements, CarryOutPlans, FoldEvents]) {
    bus.subscribe(get(consumer as never));
  }
  bus.subscribe(new MeasureEvents(metrics));
  await executor.start();
  shutdown.register('workers', 'the executor', () => executor.stop());
  await timer.start();
  shutdown.register('workers', 'the timer', () => timer.stop());
  await bus.start();
  const gauges = new SampleGauges(runtime.database, bus, metrics);
  gauges.start();
  shutdown.register('workers', 'the gauges', () => gauges.stop());
}

/** An empty cluster gets the sample and its quotas, so that there is something to look at. */
async function seedFirstLook(app: INestApplicationContext, { database }: Runtime): Promise<boolean> {
  const known: unknown[] = await database.query('SELECT 1 FROM partitions LIMIT 1');
  if (known.length > 0 || !(await seedSample(database))) return false;
  const quotas = new URL('../../../../../examples/queues.yaml', import.meta.url);
  await app
    .get(SubmitConfiguration, { strict: false })
    .submit('default', { text: readFileSync(quotas, 'utf8') });
  return true;
}
