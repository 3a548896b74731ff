import type { Logger } from 'pino';
import {
  assertListenAddress,
  createLogger,
  describeGroups,
  type GeneralSettings,
  generalSettings,
  mapStacks,
  portSetting,
  readSettings,
  SettingsError,
  type SettingsOf,
  type SettingsSchema,
  Shutdown,
  sharedDatabaseSettings,
  warnOfUnknownSettings,
} from '#platform';
import { runApps } from './run-apps.js';
import type { ServiceApp } from './service-app.js';
import { type ClusterSettings, clusterSettings } from './settings/cluster-settings.js';
import { settingsFile } from './settings/curtail-settings.js';
import { type KafkaSettings, kafkaSettings } from './settings/kafka-settings.js';
import { redisSettings } from './settings/redis-settings.js';
import { retentionSettings } from './settings/retention-settings.js';

/** The program of one app. */
export interface Program<S extends SettingsSchema> {
  /** Its name in sentences: `timer`. */
  name: string;
  /** Its default port; different for each app, so that all of them run on one machine. */
  port: number;
  /** The own settings of this app. */
  settings: S;
  app(settings: SettingsOf<S> & GeneralSettings & ClusterSettings & KafkaSettings): ServiceApp;
}

/**
 * `node dist/apps/timer/src/main.js`: one app, on a PostgreSQL that it shares with the others. It reads its settings from the
 * environment and a file (`--help` lists those that matter to it), waits for servers that come later, and runs until a
 * signal ends it. Bad settings are reported on standard error, exit status 2.
 */
export async function runAlone<S extends SettingsSchema>(program: Program<S>): Promise<void> {
  const { name } = program;
  const general = { ...generalSettings, port: portSetting(program.port) };
  const { redis, own } = apart(program.settings);
  const groups = {
    General: { ...settingsFile, ...general },
    Database: sharedDatabaseSettings,
    Kafka: kafkaSettings,
    Redis: redis,
    Cluster: clusterSettings,
    Retention: retentionSettings,
    [`The ${name}`]: own,
  };
  const common = {
    ...general,
    ...sharedDatabaseSettings,
    ...kafkaSettings,
    ...clusterSettings,
    ...retentionSettings,
  };
  await runProgram({ name, groups, settings: { ...common, ...program.settings } }, async (read, process) => {
    const settings = read as SettingsOf<typeof common> & SettingsOf<S>;
    const { url } = await runApps([program.app(settings)], settings, { ...process, name, isPatient: true });
    return url;
  });
}

function apart(settings: SettingsSchema): { redis: SettingsSchema; own: SettingsSchema } {
  const isRedis = ([name]: [string, unknown]) => name in redisSettings;
  const entries = Object.entries(settings);
  return {
    redis: Object.fromEntries(entries.filter(isRedis)),
    own: Object.fromEntries(entries.filter((entry) => !isRedis(entry))),
  };
}

/**
 * A process that reads its settings from the environment and a file, and runs until a signal ends it. `--help` lists
 * the settings; bad ones are reported on standard error, exit status 2.
 *
 * @param program.name in sentences: `timer`.
 * @param program.groups the settings by title, for `--help`.
 * @param program.settings all of them.
 * @param start registers everything that has to be ended with `shutdown`, even if it throws halfway. @returns the
 * address.
 */
export async function runProgram<S extends SettingsSchema>(
  { name, groups, settings: schema }: { name: string; groups: Record<string, SettingsSchema>; settings: S },
  start: (settings: SettingsOf<S>, process: { log: Logger; shutdown: Shutdown }) => Promise<string>,
): Promise<void> {
  if (process.argv.includes('--help')) {
    process.stdout.write(`${describeGroups(groups)}\n`);
    return;
  }
  mapStacks();
  try {
    const settings = readSettings(schema, process.env, process.env.CURTAIL_SETTINGS);
    const general = settings as unknown as GeneralSettings;
    assertListenAddress(general);
    const log = createLogger(general);
    warnOfUnknownSettings(log, process.env);
    const shutdown = new Shutdown({ log, deadlineSeconds: general.shutdownSeconds });
    shutdown.listen();
    try {
      const url = await start(settings, { log, shutdown });
      log.info({ url }, `The ${name} runs; it answers at ${url}.`);
    } catch (error) {
      if (error instanceof SettingsError) throw error;
      log.fatal({ err: error }, `The ${name} cannot start.`);
      await shutdown.run(1);
    }
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`error: ${error.message}\n`);
    process.exit(2);
  }
}
