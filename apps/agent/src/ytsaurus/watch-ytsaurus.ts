import { setTimeout as delay } from 'node:timers/promises';
import { assertConnected, chooseTree, YtsaurusCluster } from '#agents/ytsaurus';
import { BrokenInvariant, pauseAfter } from '#contracts';
import { leadByGroup } from '../election/lead-by-group.js';
import { machineNow } from '../kubernetes/open-kubernetes.js';
import { groupOf, type Watched, type WatchingOptions } from '../watching/watched.js';
import { delayMsOf, openYtsaurus, ytsaurusApi } from './open-ytsaurus.js';

const retryMs = { first: 1000, longest: 10_000 };

/**
 * A pool tree of YTsaurus. Its agents elect the active one over Kafka, in a group that has the name of the tree: agents of several trees need no
 * further name. A proxy that is down, or refuses its caller, is logged and asked again.
 *
 * @throws SettingsError if the address or the file of the token cannot be used.
 */
export async function watchYtsaurus(options: WatchingOptions): Promise<Watched> {
  const { settings, onTrouble } = options;
  const api = await openYtsaurus(settings);
  const { mode } = settings;
  /** Once it is known. */
  let tree = settings.ytsaurusTree;
  const group = () => {
    if (tree === undefined) throw new BrokenInvariant('the pool tree is not known yet');
    return groupOf(tree);
  };
  return {
    address: api.urls.join(', '),
    connected: 'Connected to YTsaurus: reporting pools, operations, jobs and nodes.',
    checks: [{ name: 'ytsaurus', check: () => assertConnected(api) }],
    get group() {
      return group();
    },
    async untilAllowed(signal) {
      for (let failures = 0; tree === undefined && !signal.aborted; ) {
        try {
          tree = await chooseTree(api, undefined);
        } catch (error) {
          onTrouble('Could not read the pool trees of YTsaurus; retrying', error as Error);
          await delay(pauseAfter(++failures, retryMs), undefined, { signal }).catch(() => undefined);
        }
      }
      return !signal.aborted;
    },
    lead: (act, signal) => leadByGroup(group(), options, act, signal),
    connect(assertHeld) {
      const own = ytsaurusApi(settings, assertHeld);
      const cluster = new YtsaurusCluster({
        api: own,
        tree,
        delayMs: delayMsOf(settings),
        mode: () => mode,
        now: machineNow,
        onTrouble,
      });
      return Object.assign(cluster, {
        size: () => {
          const { jobs, ageMs } = cluster.status();
          return { pods: jobs, silentSeconds: Number.isFinite(ageMs) ? ageMs / 1000 : 0 };
        },
        close: () => own.close(),
      });
    },
    close: () => api.close(),
  };
}
