import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { AccessControl } from './access/access-control.js';
import { HealthModule } from './health/health.module.js';
import { Readiness } from './health/readiness.js';
import { MetricsModule } from './metrics/metrics.module.js';
import type { GeneralSettings } from './settings/service-settings.js';
import { Shutdown } from './shutdown/shutdown.js';

/** Tokens of providers by value: `@Inject(SERVICE_SETTINGS)`, `@Inject(LOG)`. */
export const SERVICE_SETTINGS = Symbol('SERVICE_SETTINGS');
export const LOG = Symbol('LOG');

@Global()
@Module({})
class PlatformModule {}

/** The providers of every module of an app: settings, log, Metrics, Readiness and Shutdown. @param name of the service. */
export function platformModule(
  settings: GeneralSettings,
  log: Logger,
  shutdown: Shutdown,
  readiness = new Readiness(),
  name = '',
): DynamicModule {
  const shared = [
    { provide: SERVICE_SETTINGS, useValue: settings },
    { provide: LOG, useValue: log },
    { provide: Shutdown, useValue: shutdown },
    { provide: Readiness, useValue: readiness },
    { provide: AccessControl, useFactory: () => new AccessControl(settings, log, name) },
  ];
  return {
    module: PlatformModule,
    imports: [MetricsModule, HealthModule],
    providers: shared,
    exports: [...shared, MetricsModule, HealthModule],
  };
}
