import {
  assertListenAddress,
  createLogger,
  isGuarded,
  mapStacks,
  readSettings,
  Shutdown,
  userName,
  warnOfUnknownSettings,
} from '#platform';
import { type CurtailSettings, curtailSettings, defaultMode, isWatchedKind } from '#runtime';
import { agentOf } from './agents.js';
import { banner, modesAtStart, reachable, type Started } from './banner.js';
import { type LocalToken, localTokenIn, needsLocalToken } from './local-token.js';
import { runAllInOne } from './run-all-in-one.js';

/** Variables by name; the command line overrides the environment of the process. */
export type StartEnvironment = Record<string, string | undefined>;

/** The settings, with a token for the user of this machine where no credential is set. */
async function settingsOf(
  environment: StartEnvironment,
): Promise<{ settings: CurtailSettings; local?: LocalToken }> {
  const settings = readAll(environment);
  assertListenAddress({ ...settings, ...(needsLocalToken(settings) && { token: 'made below' }) });
  // Before there is a token or a database that nothing would ever use.
  await (await agentOf(settings))?.check(settings);
  if (!needsLocalToken(settings)) return { settings };
  const local = localTokenIn(settings.dataDir);
  return { settings: { ...settings, token: local.token, localUser: userName() }, local };
}

/** A cluster with real work is observed by default: evictions must be requested, of a partition or with CURTAIL_MODE=enforce. */
function readAll(environment: StartEnvironment): CurtailSettings {
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
  /**
   * Keeps where the token for this address is, so that commands find it.
   *
   * @returns whether it could.
   */
  remember: (url: string, tokenFile: string) => boolean;
}

/**
 * Starts everything in one process, and stops with it: Ctrl-C and SIGTERM shut down in order. An error at start ends the
 * process with exit status 2.
 *
 * @returns its address on this machine, and its token if it needs one.
 * @throws SettingsError with every variable that is missing or invalid.
 */
export async function startCurtail(
  environment: StartEnvironment,
  { onFailure, remember, scenario, hint }: StartOptions,
): Promise<{ url: string; token: string | undefined }> {
  mapStacks();
  const { settings, local } = await settingsOf(environment);
  const log = createLogger(settings);
  warnOfUnknownSettings(log, environment);
  const shutdown = new Shutdown({ log, deadlineSeconds: settings.shutdownSeconds });
  shutdown.listen();
  try {
    const { url, seeded, modes } = await runAllInOne(settings, { log, shutdown });
    const shown = modesAtStart(modes, settings);
    const kept = local?.file !== undefined && remember(reachable(url), local.file);
    if (!isGuarded(settings)) log.warn({ host: settings.host }, openToAll);
    for (const sentence of shown.sentences) log.warn({ mode: shown.shown }, sentence);
    process.stdout.write(
      banner({
        url,
        seeded,
        modes: shown,
        cluster: settings.cluster,
        credential: credentialOf(settings, local, kept),
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

const openToAll =
  'Nobody needs a token here (CURTAIL_AUTH=none): every account of this machine may have work evicted.';

function credentialOf(
  { token, auth, tokensFile, oidcIssuer }: CurtailSettings,
  local: LocalToken | undefined,
  kept: boolean,
): Started['credential'] {
  if (local !== undefined) return { local: local.token, kept, file: local.file };
  const isOpen = auth === 'none' && [token, tokensFile, oidcIssuer].every((one) => one === undefined);
  return isOpen ? 'open' : 'given';
}
