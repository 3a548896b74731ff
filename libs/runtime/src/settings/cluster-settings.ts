import { constant, oneOf, type SettingsOf, setting, wholeNumber } from '#platform';

/** Kinds of clusters with real work that agents of Curtail watch: in one process with it, or in their own over Kafka. */
export const watchedKinds = ['kubernetes', 'yarn'] as const;
export type WatchedKind = (typeof watchedKinds)[number];
export const isWatchedKind = (cluster: string | undefined): cluster is WatchedKind =>
  (watchedKinds as readonly (string | undefined)[]).includes(cluster);

export const clusterSettings = {
  cluster: setting('CURTAIL_CLUSTER', oneOf(['simulated', 'inventory', ...watchedKinds]), {
    default: 'simulated',
    help: 'The cluster to enforce quotas in. inventory: reported over Kafka by a scheduler, which also evicts on request. kubernetes: that of a kubeconfig, in one process without Kafka. yarn: that of CURTAIL_YARN_URL, likewise',
  }),
  inventoryStaleSeconds: setting('CURTAIL_INVENTORY_STALE_SECONDS', wholeNumber({ min: 5, max: 86_400 }), {
    default: 60,
    help: 'Seconds without a report after which nothing is planned or evicted in a partition',
  }),
  /** For a scheduler to answer an eviction request; one that does not is asked again later. */
  inventoryAnswerSeconds: constant(5),
};
export type ClusterSettings = SettingsOf<typeof clusterSettings>;
