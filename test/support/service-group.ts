import { randomBytes } from 'node:crypto';
import { kafkaBrokers } from './kafka.js';
import { type RunningService, type ServiceName, ServiceProcess, serviceApps } from './service-process.js';

/** The settings of services that share the Kafka and the Redis of the run with no one else. */
export function onOwnKafkaAndRedis(): Record<string, string> {
  const own = randomBytes(6).toString('hex');
  const redis = process.env.REDIS_URL;
  if (!redis)
    throw new Error('No test Redis: name the file *.int.spec.ts and run it with `npm run test:one`.');
  return {
    KAFKA_BROKERS: kafkaBrokers().join(','),
    CURTAIL_KAFKA_TOPIC_PREFIX: `test-${own}.`,
    REDIS_URL: redis,
  };
}

/** All five services, each as a process of its own. */
export class ServiceGroup {
  private constructor(readonly services: RunningService[]) {}

  /** The console has the address of the config ingest; else all have the same settings, but for those in `own`. */
  static async start(
    environment: Record<string, string>,
    own: Partial<Record<ServiceName, Record<string, string>>> = {},
  ): Promise<ServiceGroup> {
    const ingest = await ServiceProcess.start('config-ingest', { ...environment, ...own['config-ingest'] });
    const others = await Promise.all(
      serviceApps
        .filter((app) => app !== 'config-ingest')
        .map((app) =>
          ServiceProcess.start(app, { ...environment, CURTAIL_CONFIG_INGEST: ingest.url, ...own[app] }),
        ),
    );
    return new ServiceGroup([ingest, ...others]);
  }

  of(app: ServiceName): RunningService {
    const service = this.services.find((one) => one.app === app);
    if (!service) throw new Error(`no ${app} runs`);
    return service;
  }

  /** Orderly ends. @returns the exit statuses. */
  stop(): Promise<(number | null)[]> {
    return Promise.all(this.services.map((service) => service.stop()));
  }
}
