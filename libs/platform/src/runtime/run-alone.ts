import { assertListenAddress } from '../http/listen-address.js';
import { createLogger } from '../logging/create-logger.js';
import { describeGroups } from '../settings/describe-settings.js';
import { readSettings } from '../settings/read-settings.js';
import { generalSettings, portSetting, sharedDatabaseSettings } from '../settings/service-settings.js';
import type { SettingsOf, SettingsSchema } from '../settings/setting.js';
import { SettingsError } from '../settings/settings-error.js';
import { Shutdown } from '../shutdown/shutdown.js';
import { runApps } from './run-apps.js';
import type { ServiceApp } from './service-app.js';
import { clusterSettings } from './settings/cluster-settings.js';
import { kafkaSettings } from './settings/kafka-settings.js';
import { redisSettings } from './settings/redis-settings.js';
import { retentionSettings } from './settings/retention-settings.js';
import { settingsFile } from './settings/settings-file.js';

/** The program of one app. */
export interface Program<S extends SettingsSchema> {
  /** As it is called in sentences: `timer`. */
  name: string;
  /** Where it listens when no port is set; another for each app, so that all of them run on one machine. */
  port: number;
  /** What matters to this app alone. */
  settings: S;
  app(settings: SettingsOf<S>): ServiceApp;
}

/**
 * `node dist/apps/timer/src/main.js`: one app, on a PostgreSQL that it shares with the others. It reads its settings from the
 * environment and a file (`--help` lists those that matter to it), waits for servers that come later, and runs until a
 * signal ends it. What cannot be used is said on standard error, exit status 2.
 */
export async function runAlone<S extends SettingsSchema>(program: Program<S>): Promise<void> {
  const general = { ...generalSettings, port: portSetting(program.port) };
  if (process.argv.includes('--help')) {
    const { redis, own } = apart(program.settings);
    const groups = {
      General: { ...settingsFile, ...general },
      Database: sharedDatabaseSettings,
      Kafka: kafkaSettings,
      Redis: redis,
      Cluster: clusterSettings,
      Retention: retentionSettings,
      [`The ${program.name}`]: own,
    };
    process.stdout.write(`${describeGroups(groups)}\n`);
    return;
  }
  try {
    const common = {
      ...general,
      ...sharedDatabaseSettings,
      ...kafkaSettings,
      ...clusterSettings,
      ...retentionSettings,
    };
    const settings = readSettings(
      { ...common, ...program.settings },
      process.env,
      process.env.CURTAIL_SETTINGS,
    ) as SettingsOf<typeof common> & SettingsOf<S>;
    assertListenAddress(settings.host, settings.token);
    const log = createLogger(settings);
    const shutdown = new Shutdown({ log, deadlineSeconds: settings.shutdownSeconds });
    shutdown.listen();
    try {
      const { name } = program;
      const { url } = await runApps([program.app(settings)], settings, {
        log,
        shutdown,
        name,
        isPatient: true,
      });
      log.info(`The ${name} runs; it answers at ${url}.`);
    } catch (error) {
      if (error instanceof SettingsError) throw error;
      log.fatal({ err: error }, `The ${program.name} cannot start.`);
      await shutdown.run(1);
    }
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`error: ${error.message}\n`);
    process.exit(2);
  }
}

function apart(settings: SettingsSchema): { redis: SettingsSchema; own: SettingsSchema } {
  const isRedis = ([name]: [string, unknown]) => name in redisSettings;
  const entries = Object.entries(settings);
  return {
    redis: Object.fromEntries(entries.filter(isRedis)),
    own: Object.fromEntries(entries.filter((entry) => !isRedis(entry))),
  };
}
