import { readFile } from 'node:fs/promises';
import {
  type YarnSettings as FileSettings,
  noSettings,
  readInfo,
  readYarnSettings,
  schedulerVersion,
  TokenFile,
  YarnApi,
  YarnError,
} from '#agents/yarn';
import { InputError } from '#contracts';
import { SettingsError } from '#platform';
import type { YarnVariables } from '#runtime';

/** @throws SettingsError if the address is missing or invalid. */
export function openYarn(
  { yarnUrl, yarnUser, yarnTokenFile, yarnCa }: Omit<YarnVariables, 'yarnSettings'>,
  guard?: (method: string, path: string) => void,
): YarnApi {
  const variable = 'CURTAIL_YARN_URL';
  if (yarnUrl === undefined) {
    const remedy = 'give the address of the ResourceManager: --yarn-url http://rm.example:8088';
    throw new SettingsError([{ variable, wrong: 'is missing: the cluster is yarn', remedy }]);
  }
  try {
    const token = yarnTokenFile === undefined ? undefined : new TokenFile(yarnTokenFile);
    token?.read();
    return new YarnApi({
      url: yarnUrl,
      user: yarnUser,
      token: token && (() => token.read()),
      ca: yarnCa,
      guard,
    });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    if (error.path === 'token') {
      throw new SettingsError([
        { variable: 'CURTAIL_YARN_TOKEN_FILE', wrong: 'cannot be used', remedy: error.message },
      ]);
    }
    throw new SettingsError([{ variable, wrong: 'is not an address', remedy: error.message }]);
  }
}

/** What a server answers that is no ResourceManager, or refuses this caller: it would never be different. */
const lasting = new Set(['no-json', 'redirected', 'not-authenticated', 'forbidden', 'refused']);

/**
 * Asks the manager whether it is one, and whether the caller is its administrator: any other would see zeros instead of the work of others, and
 * a plan would be made for an empty cluster.
 *
 * @throws SettingsError unless it is, or does not answer now, or fails by itself (a status of 500 or above): then it may be later.
 */
export async function assertManager(api: YarnApi): Promise<void> {
  try {
    readInfo(await api.get('/info'));
    await schedulerVersion(api);
  } catch (error) {
    const message = wordsOf(error as Error);
    const refuse = (wrong: string, remedy: string) => {
      throw new SettingsError([{ variable: 'CURTAIL_YARN_URL', wrong, remedy }]);
    };
    if (error instanceof InputError) {
      refuse('is no ResourceManager', `${api.url}/ws/v1/cluster/info answers otherwise: ${message}`);
    }
    if (error instanceof YarnError && lasting.has(error.code) && (error.status ?? 0) < 500) {
      refuse('cannot be used', message);
    }
  }
}

/**
 * Reads the file of settings, each time as it is then.
 *
 * @throws SettingsError, at once, if it cannot be read or is invalid.
 */
export async function openYarnSettings({
  yarnSettings: file,
}: Pick<YarnVariables, 'yarnSettings'>): Promise<() => Promise<FileSettings>> {
  if (file === undefined) return async () => noSettings;
  const read = async () => readYarnSettings(await readFile(file, 'utf8'));
  try {
    await read();
  } catch (error) {
    throw new SettingsError([
      {
        variable: 'CURTAIL_YARN_SETTINGS',
        wrong: 'cannot be used',
        remedy: `${file}: ${wordsOf(error as Error)}`,
      },
    ]);
  }
  return async () => {
    try {
      return await read();
    } catch (error) {
      throw new YarnError('settings-unreadable', `${file}: ${wordsOf(error as Error)}`);
    }
  };
}

/** What is wrong, with its line or field. */
export function wordsOf(error: Error): string {
  if (!(error instanceof InputError)) return error.message;
  return error.line === undefined ? error.sentence : `line ${error.line}: ${error.sentence}`;
}
