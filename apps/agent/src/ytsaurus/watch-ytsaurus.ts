import { assertConnected, YtsaurusCluster } from '#agents/ytsaurus';
import { leadByGroup } from '../election/lead-by-group.js';
import type { Watched, WatchingOptions } from '../watching/watched.js';
import { delayMsOf, openYtsaurus, ytsaurusApi } from './open-ytsaurus.js';

/**
 * A pool tree of YTsaurus. Its agents elect the active one over Kafka. A proxy that is down, or refuses its caller, is logged and asked again.
 *
 * @throws SettingsError if the address or the file of the token cannot be used.
 */
export async function watchYtsaurus(options: WatchingOptions): Promise<Watched> {
  const { settings, onTrouble } = options;
  const api = await openYtsaurus(settings);
  const { mode, ytsaurusTree } = settings;
  return {
    address: api.urls.join(', '),
    connected: 'Connected to YTsaurus: reporting pools, operations, jobs and nodes.',
    checks: [{ name: 'ytsaurus', check: () => assertConnected(api) }],
    untilAllowed: async (signal) => !signal.aborted,
    lead: (act, signal) => leadByGroup(options, act, signal),
    connect(assertHeld) {
      const own = ytsaurusApi(settings, assertHeld);
      const cluster = new YtsaurusCluster({
        api: own,
        tree: ytsaurusTree,
        delayMs: delayMsOf(settings),
        mode: () => mode,
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
