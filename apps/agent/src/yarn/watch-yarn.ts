import { GroupLeadership } from '#agents/kafka';
import { readInfo, YarnCluster } from '#agents/yarn';
import { machineNow } from '../kubernetes/open-kubernetes.js';
import { groupOf, type Watched, type WatchingOptions } from '../watching/watched.js';
import { openYarn, openYarnSettings } from './open-yarn.js';

/**
 * A YARN cluster. YARN has no leases, so its agents elect the active one over Kafka. A manager that is down, on standby, or refuses its caller is
 * logged and asked again.
 *
 * @throws SettingsError if an address or the file of settings cannot be used.
 */
export async function watchYarn({ settings, kafka, log, onTrouble }: WatchingOptions): Promise<Watched> {
  const api = openYarn(settings);
  const fileSettings = await openYarnSettings(settings);
  const { mode, partition } = settings;
  return {
    address: api.urls.join(', '),
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
    async lead(act, signal) {
      const group = `${groupOf(partition)}.active`;
      const leadership = new GroupLeadership({
        connection: kafka,
        group,
        now: machineNow,
        onTrouble: (error) => onTrouble('Could not take part in the election of the active agent', error),
      });
      log.info({ group }, `The agent is on standby in the group ${kafka.groupName(group)} of Kafka.`);
      await leadership.run(act, signal);
    },
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
