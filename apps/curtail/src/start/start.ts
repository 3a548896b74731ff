import { assertListenAddress, createLogger, readSettings, Shutdown } from '@curtail/platform';
import { type CurtailSettings, curtailSettings } from '@curtail/runtime';
import { banner, reachable, type Started } from './banner.js';
import { runAllInOne } from './run-all-in-one.js';

/** Variables by name; what the command line gives goes before the environment of the process. */
export type StartEnvironment = Record<string, string | undefined>;

/** On a cluster that somebody works on, no one is evicted before that is asked for. */
function settingsOf(environment: StartEnvironment): CurtailSettings {
  const settings = readSettings(curtailSettings, environment, environment.CURTAIL_SETTINGS);
  if (settings.cluster !== 'kubernetes') return settings;
  const defaultMode = { ...curtailSettings.defaultMode, absent: 'observe' as const };
  return readSettings({ ...curtailSettings, defaultMode }, environment, environment.CURTAIL_SETTINGS);
}

/**
 * Starts everything in one process, and ends with it: Ctrl-C and SIGTERM end orderly. What keeps it from starting ends the
 * process with exit status 2.
 *
 * @param onFailure called with the error once something runs that has to be ended: the process leaves with it, so there is
 *   no later moment to say it.
 * @param scenario that is played as soon as it runs.
 * @returns where it can be reached on this machine, and what it asks for.
 * @throws SettingsError with every variable that is missing or wrong.
 */
export async function start(
  environment: StartEnvironment,
  onFailure: (error: unknown) => void = () => {},
  scenario?: Started['scenario'],
): Promise<{ url: string; token: string | undefined }> {
  const settings = settingsOf(environment);
  assertListenAddress(settings.host, settings.token);
  const log = createLogger(settings);
  const shutdown = new Shutdown({ log, deadlineSeconds: settings.shutdownSeconds });
  shutdown.listen();
  try {
    const { url, seeded } = await runAllInOne(settings, { log, shutdown });
    process.stdout.write(
      banner({
        url,
        seeded,
        mode: settings.defaultMode,
        cluster: settings.cluster,
        guarded: settings.token !== undefined,
        ...(scenario ? { scenario } : {}),
      }),
    );
    return { url: reachable(url), token: settings.token };
  } catch (error) {
    onFailure(error);
    await shutdown.run(2);
    throw error;
  }
}
