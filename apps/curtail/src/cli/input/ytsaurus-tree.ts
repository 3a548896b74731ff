import { basename } from 'node:path';
import {
  chooseTree,
  readTokenFile,
  SavedYtAnswers,
  type TreeLook,
  takeLook,
  YtApi,
  YtError,
  type YtReads,
} from '#agents/ytsaurus';
import { InputError } from '#contracts';
import { readSettings, SettingsError } from '#platform';
import { ytsaurusSettings } from '#runtime';
import type { Invocation } from '../invocation/invocation.js';
import { CommandError } from '../terminal/errors.js';
import { clusterOptionSettings, settingsRefused, withOptionSettings } from './option-settings.js';
import { orRefused, savedAnswers } from './saved-answers.js';

/** Where a pool tree of YTsaurus is read from. */
export interface YtsaurusOptions {
  /** The address of a proxy. */
  ytsaurusUrl?: string;
  ytsaurusTokenFile?: string;
  ytsaurusTree?: string;
  /** Files and folders with saved answers. */
  ytsaurusAnswers?: string[];
}

/**
 * A look at a pool tree, of a cluster that runs or of its saved answers.
 *
 * @throws CommandError where a proxy does not answer as one, or files are no such answers.
 */
export async function readTree(
  invocation: Invocation,
  { ytsaurusUrl, ytsaurusAnswers, ...options }: YtsaurusOptions,
): Promise<{ name: string; tree: string; look: TreeLook }> {
  if (ytsaurusUrl !== undefined && ytsaurusAnswers !== undefined) {
    throw new CommandError('give either --ytsaurus-url or --ytsaurus-answers');
  }
  const { terminal } = invocation;
  if (ytsaurusUrl === undefined) return readSaved(ytsaurusAnswers ?? [], options.ytsaurusTree, invocation);
  const settings = clusterOptionSettings({ ytsaurusUrl, ...options });
  try {
    const {
      ytsaurusTree,
      ytsaurusTokenFile: file,
      ytsaurusCa: ca,
    } = readSettings(ytsaurusSettings, withOptionSettings(terminal.env, settings));
    const token = file === undefined ? undefined : () => readTokenFile(file);
    const api = orRefused('--ytsaurus-url: ', () => new YtApi({ url: ytsaurusUrl, token, ca }));
    try {
      const tree = await chooseTree(api, ytsaurusTree);
      return { name: ytsaurusUrl, tree, look: await lookAt(api, tree) };
    } catch (error) {
      if (error instanceof YtError) throw new CommandError(error.message);
      if (error instanceof InputError) {
        throw new CommandError(`${api.url} answers otherwise than YTsaurus: ${error.sentence}`);
      }
      throw error;
    } finally {
      api.close();
    }
  } catch (error) {
    throw error instanceof SettingsError ? settingsRefused(error, settings) : error;
  }
}

async function readSaved(paths: readonly string[], named: string | undefined, invocation: Invocation) {
  const tree = named ?? invocation.terminal.env.CURTAIL_YTSAURUS_TREE ?? 'default';
  const answers = await savedAnswers(paths, invocation.terminal, 'the proxy');
  const byName = new Map(
    answers.map(({ name: file, value }) => [basename(file, '.json'), { file, value }] as const),
  );
  const name = paths.join(', ');
  const saved = orRefused(`${name}: `, () => new SavedYtAnswers(tree, byName));
  try {
    const look = await lookAt(saved, tree);
    for (const { id, isSettled } of look.operations.values()) {
      if (isSettled || saved.hasJobsOf(id)) continue;
      const file = `list_jobs-${id}`;
      invocation.report(`missing: ${file}.json: its operation has jobs; ${saved.howToSave(file)}`);
    }
    return { name, tree, look };
  } catch (error) {
    if (error instanceof YtError) throw new CommandError(`${name}: ${error.message}`);
    throw error instanceof InputError ? new CommandError(`${name}: ${error.sentence}`) : error;
  }
}

const lookAt = (api: YtReads, tree: string): Promise<TreeLook> =>
  takeLook(api, undefined, { tree, elapsed: () => performance.now(), listAgainMs: 0 });
