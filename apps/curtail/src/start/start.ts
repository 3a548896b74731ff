import {
  assertListenAddress,
  createLogger,
  curtailSettings,
  readSettings,
  SettingsError,
  Shutdown,
} from '@curtail/platform';
import { banner } from './banner.js';
import { runAllInOne } from './run-all-in-one.js';

/** Settings that the command line gives; they go before the environment. */
export type StartEnvironment = Record<string, string | undefined>;

/**
 * Starts everything in one process, and ends with it: Ctrl-C and SIGTERM end orderly.
 *
 * @throws SettingsError with every variable that is missing or wrong.
 */
export async function start(environment: StartEnvironment): Promise<void> {
  const settings = readSettings(curtailSettings, environment, environment.CURTAIL_SETTINGS);
  assertListenAddress(settings.host, settings.token);
  const log = createLogger(settings);
  const shutdown = new Shutdown({ log, deadlineSeconds: settings.shutdownSeconds });
  shutdown.listen();
  try {
    const { url, seeded } = await runAllInOne(settings, { log, shutdown });
    process.stdout.write(banner({ url, seeded, mode: settings.defaultMode }));
  } catch (error) {
    await shutdown.run(error instanceof SettingsError ? 2 : 1);
    throw error;
  }
}
