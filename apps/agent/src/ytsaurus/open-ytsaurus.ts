import { chooseTree, readTokenFile, YtApi, YtError } from '#agents/ytsaurus';
import { InputError, parseDelayDuration } from '#contracts';
import { SettingsError } from '#platform';
import type { YtsaurusVariables } from '#runtime';

type Access = Pick<YtsaurusVariables, 'ytsaurusUrl' | 'ytsaurusTokenFile' | 'ytsaurusCa'>;

/**
 * The API of the cluster that the settings name. The file of the token is read at once, and again whenever YTsaurus refuses the token.
 *
 * @param guard called before anything is changed in the cluster; what it throws prevents that.
 * @throws SettingsError if the address is missing or invalid, or the file cannot be used.
 */
export async function openYtsaurus(
  { ytsaurusUrl, ytsaurusTokenFile: file, ytsaurusCa: ca }: Access,
  guard?: () => void,
): Promise<YtApi> {
  if (file !== undefined)
    await readTokenFile(file).catch((error: Error) =>
      refuse('CURTAIL_YTSAURUS_TOKEN_FILE', 'cannot be used', error.message),
    );
  return ytsaurusApi({ ytsaurusUrl, ytsaurusTokenFile: file, ytsaurusCa: ca }, guard);
}

/** As `openYtsaurus`, without a look at the file. @throws SettingsError */
export function ytsaurusApi(
  { ytsaurusUrl, ytsaurusTokenFile: file, ytsaurusCa: ca }: Access,
  guard?: () => void,
): YtApi {
  const variable = 'CURTAIL_YTSAURUS_URL';
  if (ytsaurusUrl === undefined) {
    throw refusal(
      variable,
      'is missing: the cluster is ytsaurus',
      'give the address of a proxy: --ytsaurus-url http://yt.example',
    );
  }
  try {
    const token = file === undefined ? undefined : () => readTokenFile(file);
    return new YtApi({ url: ytsaurusUrl, token, ca, guard });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw refusal(variable, 'is not an address', error.message);
  }
}

/** What a server answers that is no proxy of YTsaurus, or refuses this caller: it would never be different. */
const lasting = new Set(['no-json', 'redirected', 'not-authenticated', 'forbidden', 'refused', 'no-tree']);

/**
 * Asks the proxy whether it is one, whether it knows the caller, and whether it has the tree.
 *
 * @throws SettingsError unless it does, or does not answer now, or fails by itself (a status of 500 or above): then it may be later.
 */
export async function assertProxy(api: YtApi, tree: string | undefined): Promise<void> {
  try {
    await chooseTree(api, tree);
  } catch (error) {
    if (error instanceof InputError)
      throw refusal(
        'CURTAIL_YTSAURUS_URL',
        'is no proxy of YTsaurus',
        `${api.url} answers otherwise: ${error.sentence}`,
      );
    if (!(error instanceof YtError) || !lasting.has(error.code) || (error.status ?? 0) >= 500) return;
    const variable =
      error.code === 'no-tree'
        ? 'CURTAIL_YTSAURUS_TREE'
        : error.code === 'not-authenticated'
          ? 'CURTAIL_YTSAURUS_TOKEN_FILE'
          : 'CURTAIL_YTSAURUS_URL';
    throw refusal(variable, 'cannot be used', error.message);
  }
}

/** The delay of lowered limits in milliseconds; undefined: none. */
export function delayMsOf({ ytsaurusDelay }: Pick<YtsaurusVariables, 'ytsaurusDelay'>): number | undefined {
  if (ytsaurusDelay === undefined) return undefined;
  const { ms } = parseDelayDuration({ type: 'text', text: ytsaurusDelay }, 'CURTAIL_YTSAURUS_DELAY');
  return ms === 0n ? undefined : Number(ms);
}

const refusal = (variable: string, wrong: string, remedy: string) =>
  new SettingsError([{ variable, wrong, remedy }]);

function refuse(variable: string, wrong: string, remedy: string): never {
  throw refusal(variable, wrong, remedy);
}
