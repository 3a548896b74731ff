import {
  assertListenAddress,
  createLogger,
  curtailSettings,
  PostgresStartError,
  readSettings,
  SettingsError,
  Shutdown,
} from '@curtail/platform';
import { banner } from './banner.js';
import { runAllInOne } from './run-all-in-one.js';

/** Settings that the command line gives; they go before the environment. */
export type StartEnvironment = Record<string, string | undefined>;

/**
 * Starts everything in one process, and ends with it: Ctrl-C and SIGTERM end orderly. What keeps it from starting is told
 * on standard error, and the process ends with 2 for a setting that cannot be used, with 1 for anything else.
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
    // Before the end, which leaves the process.
    if (error instanceof SettingsError || error instanceof PostgresStartError) {
      process.stderr.write(`error: ${error.message}\n`);
    } else {
      log.fatal({ err: error }, 'Curtail cannot start.');
    }
    await shutdown.run(error instanceof SettingsError ? 2 : 1);
  }
}
