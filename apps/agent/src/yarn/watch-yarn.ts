import { readInfo, YarnCluster } from '#agents/yarn';
import { leadByGroup } from '../election/lead-by-group.js';
import { groupOf, type Watched, type WatchingOptions } from '../watching/watched.js';
import { openYarn, openYarnSettings } from './open-yarn.js';

/**
 * A YARN cluster. YARN has no leases, so its agents elect the active one over Kafka. A manager that is down, on standby, or refuses its caller is
 * logged and asked again.
 *
 * @throws SettingsError if an address or the file of settings cannot be used.
 */
export async function watchYarn(options: WatchingOptions): Promise<Watched> {
  const { settings, onTrouble } = options;
  const api = openYarn(settings);
  const fileSettings = await openYarnSettings(settings);
  const { mode, partition } = settings;
  const group = groupOf(partition);
  return {
    address: api.urls.join(', '),
    group,
    connected: 'Connected to YARN: reporting queues, applications, containers and nodes.',
    checks: [
      {
        name: 'yarn',
        check: async () => {
          readInfo(await api.get('/info'));
        },
      },
    ],
    untilAllowed: async (signal) => !signal.aborted,
    lead: (act, signal) => leadByGroup(group, options, act, signal),
    connect(assertHeld) {
      const own = openYarn(settings, (method) => {
        if (method !== 'GET') assertHeld();
      });
      const cluster = new YarnCluster({
        api: own,
        partition,
        settings: fileSettings,
        mode: () => mode,
        onTrouble,
      });
      return Object.assign(cluster, {
        size: () => {
          const { containers, ageMs } = cluster.status();
          return { pods: containers, silentSeconds: Number.isFinite(ageMs) ? ageMs / 1000 : 0 };
        },
        close: () => own.close(),
      });
    },
    close: () => api.close(),
  };
}
