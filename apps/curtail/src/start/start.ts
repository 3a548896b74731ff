import { assertListenAddress, createLogger, readSettings, Shutdown } from '#platform';
import { type CurtailSettings, curtailSettings, defaultMode, isWatchedKind } from '#runtime';
import { agentOf } from './agents.js';
import { banner, modesAtStart, reachable, type Started } from './banner.js';
import { runAllInOne } from './run-all-in-one.js';

/** Variables by name; the command line overrides the environment of the process. */
export type StartEnvironment = Record<string, string | undefined>;

/** A cluster with real work is observed by default: evictions must be requested, of a partition or with CURTAIL_MODE=enforce. */
function settingsOf(environment: StartEnvironment): CurtailSettings {
  const settings = readSettings(curtailSettings, environment, environment.CURTAIL_SETTINGS);
  if (!isWatchedKind(settings.cluster) || settings.mode === 'enforce') return settings;
  const observing = { ...curtailSettings, defaultMode: defaultMode('observe') };
  return readSettings(observing, environment, environment.CURTAIL_SETTINGS);
}

export interface StartOptions extends Pick<Started, 'scenario' | 'hint'> {
  /**
   * Called with an error after something has started that must be stopped: the process ends with it, so there is no later moment to
   * report it.
   */
  onFailure: (error: unknown) => void;
}

/**
 * Starts everything in one process, and stops with it: Ctrl-C and SIGTERM shut down in order. An error at start ends the
 * process with exit status 2.
 *
 * @returns its address on this machine, and its token if it needs one.
 * @throws SettingsError with every variable that is missing or invalid.
 */
export async function start(
  environment: StartEnvironment,
  { onFailure, scenario, hint }: StartOptions,
): Promise<{ url: string; token: string | undefined }> {
  const settings = settingsOf(environment);
  assertListenAddress(settings.host, settings.token);
  // Before there is a database that nothing would ever use.
  await (await agentOf(settings))?.check(settings);
  const log = createLogger(settings);
  const shutdown = new Shutdown({ log, deadlineSeconds: settings.shutdownSeconds });
  shutdown.listen();
  try {
    const { url, seeded, modes } = await runAllInOne(settings, { log, shutdown });
    const shown = modesAtStart(modes, settings);
    for (const sentence of shown.sentences) log.warn({ mode: shown.shown }, sentence);
    process.stdout.write(
      banner({
        url,
        seeded,
        modes: shown,
        cluster: settings.cluster,
        guarded: settings.token !== undefined,
        hint,
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
