import { readFile } from 'node:fs/promises';
import {
  type YarnSettings as FileSettings,
  noSettings,
  readYarnSettings,
  YarnApi,
  YarnError,
} from '#agents/yarn';
import { InputError } from '#contracts';
import { SettingsError } from '#platform';
import type { YarnVariables } from '#runtime';

/** @throws SettingsError if the address is missing or invalid. */
export function openYarn({ yarnUrl, yarnUser }: Pick<YarnVariables, 'yarnUrl' | 'yarnUser'>): YarnApi {
  const variable = 'CURTAIL_YARN_URL';
  if (yarnUrl === undefined) {
    const remedy = 'give the address of the ResourceManager: --yarn-url http://rm.example:8088';
    throw new SettingsError([{ variable, wrong: 'is missing: the cluster is yarn', remedy }]);
  }
  try {
    return new YarnApi({ url: yarnUrl, user: yarnUser });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new SettingsError([{ variable, wrong: 'is not an address', remedy: error.message }]);
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

function wordsOf(error: Error): string {
  if (!(error instanceof InputError)) return error.message;
  return error.line === undefined ? error.sentence : `line ${error.line}: ${error.sentence}`;
}
