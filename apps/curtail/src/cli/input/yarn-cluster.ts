import { setTimeout as delay } from 'node:timers/promises';
import {
  noSettings,
  type PlannedCluster,
  plannedCluster,
  readSavedAnswers,
  readYarnSettings,
  type SavedCluster,
  schedulerProperties,
  schedulerVersion,
  settledPending,
  TokenFile,
  takeLook,
  YarnApi,
  type YarnApiOptions,
  YarnError,
  type YarnSettings,
} from '#agents/yarn';
import { InputError } from '#contracts';
import type { Invocation } from '../invocation/invocation.js';
import { CommandError, FileError } from '../terminal/errors.js';
import type { Terminal } from '../terminal/terminal.js';
import { orRefused, savedAnswers } from './saved-answers.js';
import { inputLimits, readText } from './source.js';

/** What an application waits for counts as far as the last two show it without containers that are new since the look before. */
const leastLooks = 3;
/** How often a cluster is looked at whose lists do not fit each other. */
const mostLooks = 5;
const betweenMs = 1000;

/**
 * A cluster of YARN, of a running manager or of its saved answers.
 *
 * @throws CommandError where a manager does not answer as one, or files are no such answers; FileError for settings that are invalid.
 */
export async function readYarnCluster(
  invocation: Invocation,
  { yarnUrl, yarnAnswers, ...options }: YarnOptions & { partition: string },
): Promise<{ name: string; cluster: PlannedCluster }> {
  if (yarnUrl !== undefined && yarnAnswers !== undefined) {
    throw new CommandError('give either --yarn-url or --yarn-answers');
  }
  const { terminal } = invocation;
  const settings = await settingsOf(options.yarnSettings ?? terminal.env.CURTAIL_YARN_SETTINGS, terminal);
  if (yarnUrl !== undefined) {
    const { CURTAIL_YARN_USER, CURTAIL_YARN_TOKEN_FILE: tokenFile, CURTAIL_YARN_CA: ca } = terminal.env;
    const token = tokenFile === undefined ? undefined : new TokenFile(tokenFile);
    const access: YarnApiOptions = {
      url: yarnUrl,
      urlOption: '--yarn-url',
      user: options.yarnUser ?? CURTAIL_YARN_USER,
      token: token && (() => token.read()),
      ca: ca === undefined ? undefined : await readText(ca, terminal, inputLimits.configurationBytes),
    };
    return { name: yarnUrl, cluster: await live(access, settings, options.partition) };
  }
  const paths = yarnAnswers ?? [];
  const answers = await savedAnswers(paths, terminal, 'the ResourceManager');
  const name = paths.join(', ');
  const { cluster, skipped } = orRefused('', () => readSavedAnswers(answers));
  for (const { name: file, why } of skipped) invocation.report(`warning: ${file} is left out: ${why}`);
  return orRefused(`${name}: `, () => ({
    name,
    cluster: plannedCluster(options.partition, cluster, settings),
  }));
}

async function live(
  access: YarnApiOptions,
  settings: YarnSettings,
  partition: string,
): Promise<PlannedCluster> {
  const api = orRefused('--yarn-url: ', () => new YarnApi(access));
  try {
    const version = await schedulerVersion(api);
    const [properties, date] = await Promise.all([
      version === undefined ? undefined : api.get('/scheduler-conf').then(schedulerProperties),
      api.date(),
    ]);
    const elapsed = () => performance.now();
    let before = await takeLook(api, undefined, { elapsed, listAgainMs: 0 });
    for (let looks = 2; ; looks++) {
      await delay(betweenMs);
      const look = await takeLook(api, before, { elapsed, listAgainMs: 0 });
      const cluster: SavedCluster = {
        ...look,
        apps: [...look.apps.values()].map((view) => ({
          containers: view.containers,
          app: { ...view.app, pending: settledPending(view) },
        })),
        properties,
        takenAt: new Date(date ?? Date.now()).toISOString(),
      };
      const planned = plannedCluster(partition, cluster, settings);
      if (looks >= leastLooks && (planned.differences.length === 0 || looks === mostLooks)) return planned;
      before = look;
    }
  } catch (error) {
    if (error instanceof YarnError) throw new CommandError(error.message);
    if (error instanceof InputError) {
      throw new CommandError(`${api.url} answers otherwise than a ResourceManager: ${error.sentence}`);
    }
    throw error;
  } finally {
    api.close();
  }
}

async function settingsOf(file: string | undefined, terminal: Terminal): Promise<YarnSettings> {
  if (file === undefined) return noSettings;
  const text = await readText(file, terminal, inputLimits.configurationBytes);
  try {
    return readYarnSettings(text);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new FileError(file, error);
  }
}

/** Where a cluster of YARN is read from. */
export interface YarnOptions {
  /** The address of its ResourceManager. */
  yarnUrl?: string;
  yarnUser?: string;
  /** Files and folders with saved answers. */
  yarnAnswers?: string[];
  /** What YARN has no key for. */
  yarnSettings?: string;
}

export const isYarnGiven = ({ yarnUrl, yarnAnswers }: YarnOptions): boolean =>
  yarnUrl !== undefined || yarnAnswers !== undefined;
