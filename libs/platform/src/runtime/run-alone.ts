import { assertListenAddress } from '../http/listen-address.js';
import { createLogger } from '../logging/create-logger.js';
import { describeSettings } from '../settings/describe-settings.js';
import { readSettings } from '../settings/read-settings.js';
import { type SettingProblem, SettingsError } from '../settings/settings-error.js';
import { Shutdown } from '../shutdown/shutdown.js';
import { type CurtailSettings, curtailSettings } from './curtail-settings.js';
import { runApps } from './run-apps.js';
import type { ServiceApp } from './service-app.js';

const databaseMissing: SettingProblem = {
  variable: 'DATABASE_URL',
  wrong: 'is not set',
  remedy: 'a service that runs alone shares a PostgreSQL with the others: give its address',
};

/**
 * The program of one app: `node dist/apps/timer/src/main.js`. It reads its settings from the environment (`--help` lists
 * them), needs DATABASE_URL, and runs until a signal ends it. What cannot be used is said on standard error, exit status 2.
 */
export async function runAlone(makeApp: (settings: CurtailSettings) => ServiceApp): Promise<void> {
  if (process.argv.includes('--help')) {
    process.stdout.write(`${describeSettings(curtailSettings)}\n`);
    return;
  }
  try {
    const settings = readSettings(curtailSettings, process.env, process.env.CURTAIL_SETTINGS);
    if (!settings.databaseUrl) throw new SettingsError([databaseMissing]);
    assertListenAddress(settings.host, settings.token);
    const log = createLogger(settings);
    const shutdown = new Shutdown({ log, deadlineSeconds: settings.shutdownSeconds });
    shutdown.listen();
    const app = makeApp(settings);
    try {
      const { url } = await runApps([app], settings, { log, shutdown });
      log.info(`The ${app.name} runs; it answers at ${url}.`);
    } catch (error) {
      log.fatal({ err: error }, `The ${app.name} cannot start.`);
      await shutdown.run(1);
    }
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`error: ${error.message}\n`);
    process.exitCode = 2;
  }
}
