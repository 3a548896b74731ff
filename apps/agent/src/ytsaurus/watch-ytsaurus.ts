import { GroupLeadership } from '#agents/kafka';
import { assertConnected, YtsaurusCluster } from '#agents/ytsaurus';
import { machineNow } from '../kubernetes/open-kubernetes.js';
import { groupOf, type Watched, type WatchingOptions } from '../watching/watched.js';
import { delayMsOf, openYtsaurus, ytsaurusApi } from './open-ytsaurus.js';

/**
 * A pool tree of YTsaurus. Its agents elect the active one over Kafka. A proxy that is down, or refuses its caller, is logged and asked again.
 *
 * @throws SettingsError if the address or the file of the token cannot be used.
 */
export async function watchYtsaurus({ settings, kafka, log, onTrouble }: WatchingOptions): Promise<Watched> {
  const api = await openYtsaurus(settings);
  const { mode, partition, ytsaurusTree } = settings;
  return {
    address: api.urls.join(', '),
    connected: 'Connected to YTsaurus: reporting pools, operations, jobs and nodes.',
    checks: [{ name: 'ytsaurus', check: () => assertConnected(api) }],
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
