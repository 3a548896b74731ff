import type { Server } from 'node:http';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import { AccessControl } from '../access/access-control.js';
import { routes, type TableOfRights } from '../access/table-of-rights.js';
import type { Readiness } from '../health/readiness.js';
import { createLogger } from '../logging/create-logger.js';
import { NestLogger } from '../logging/nest-logger.js';
import { Metrics } from '../metrics/metrics.js';
import { type OpenApiTexts, setUpOpenApi } from '../openapi/set-up-open-api.js';
import { platformModule } from '../platform.module.js';
import type { WhyAway } from '../problems/problem-of.js';
import type { GeneralSettings } from '../settings/service-settings.js';
import { Shutdown } from '../shutdown/shutdown.js';
import { configureHttp } from './configure-http.js';
import { LimitedHttpAdapter } from './limited-server.js';
import { servePage } from './page-files.js';

@Module({})
class RootModule {}

export interface HttpAppOptions {
  /** What other services call it: `config ingest`. Absent: none of them passes callers on to it. */
  name?: string;
  /** The log of the process; made from the settings when absent. */
  log?: Logger;
  /** Created from the settings if absent; pass one to register hooks before the application exists. */
  shutdown?: Shutdown;
  /** Created if absent; pass one to register checks before the application exists. */
  readiness?: Readiness;
  /** A server that listens already. */
  server?: Server;
  openApi?: OpenApiTexts;
  /** Why the database does not run, if this process runs it. */
  whyAway?: WhyAway;
  /** The rights of its routes; absent: those of Curtail. */
  rights?: TableOfRights;
  /** The folder of the page that is served at `pagePath`. */
  page?: string;
}

/**
 * Creates the application of a module with everything that the apps share: settings, log, metrics, health, shutdown,
 * limits, problem details and /docs. It does not listen yet: `serveHttp` does that.
 */
export async function createHttpApp(
  module: Type | DynamicModule,
  settings: GeneralSettings,
  options: HttpAppOptions = {},
): Promise<NestExpressApplication> {
  const log = options.log ?? createLogger(settings);
  const shutdown = options.shutdown ?? new Shutdown({ log, deadlineSeconds: settings.shutdownSeconds });
  const root: DynamicModule = {
    module: RootModule,
    imports: [platformModule(settings, log, shutdown, options.readiness, options.name), module],
  };
  const app = await NestFactory.create<NestExpressApplication>(
    root,
    new LimitedHttpAdapter(settings, options.server),
    {
      logger: new NestLogger(log),
      bodyParser: false,
      abortOnError: false,
    },
  );
  configureHttp(app, settings, {
    log,
    metrics: app.get(Metrics, { strict: false }),
    shutdown,
    whyAway: options.whyAway,
    rights: options.rights ?? routes,
  });
  if (options.page !== undefined) {
    const access = app.get(AccessControl, { strict: false });
    app.use(servePage(options.page, () => access.loginOrigin));
  }
  setUpOpenApi(app, options.openApi);
  return app;
}
