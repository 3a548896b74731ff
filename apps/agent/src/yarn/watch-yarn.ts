import { EvictionRecords } from '#agents/kafka';
import { readInfo, YarnCluster } from '#agents/yarn';
import { leadByGroup } from '../election/lead-by-group.js';
import { machineNow } from '../kubernetes/open-kubernetes.js';
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
      const records = new EvictionRecords({
        connection: options.kafka,
        group: `${group}.records`,
        partition,
        now: machineNow,
        onTrouble: (error) => onTrouble('Could not read the evictions of agents before; retrying', error),
      });
      records.start();
      const cluster = new YarnCluster({
        api: own,
        partition,
        settings: fileSettings,
        mode: () => mode,
        pastEvictions: async () => records.take(),
        onTrouble,
      });
      return Object.assign(cluster, {
        size: () => {
          const { containers, ageMs } = cluster.status();
          return { pods: containers, silentSeconds: Number.isFinite(ageMs) ? ageMs / 1000 : 0 };
        },
        close: () => {
          own.close();
          void records.stop();
        },
      });
    },
    close: () => api.close(),
  };
}
