import { noSettings, YarnApi, YarnCluster } from '#agents/yarn';

/** An agent's knowledge of the cluster of a manager. */
export function clusterAt(url: string): { api: YarnApi; cluster: YarnCluster } {
  const api = new YarnApi({ url, user: 'curtail' });
  const cluster = new YarnCluster({
    ...{ api, partition: 'default', mode: () => 'enforce' as const },
    ...{ settings: async () => noSettings, pastEvictions: async () => [] },
    onTrouble: (what, error) => console.error(what, error.message),
  });
  return { api, cluster };
}
