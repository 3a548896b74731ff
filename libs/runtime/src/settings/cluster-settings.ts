import { oneOf, type SettingsOf, setting, wholeNumber } from '@curtail/platform';

export const clusterSettings = {
  cluster: setting('CURTAIL_CLUSTER', oneOf(['simulated', 'inventory', 'kubernetes']), {
    default: 'simulated',
    help: 'The cluster that is watched over. inventory: what a scheduler reports over Kafka, and evicts when asked to. kubernetes: the one of a kubeconfig, in one process without Kafka',
  }),
  inventoryStaleSeconds: setting('CURTAIL_INVENTORY_STALE_SECONDS', wholeNumber({ min: 5, max: 86_400 }), {
    default: 60,
    help: 'Seconds without a report after which a partition is neither planned nor evicted',
  }),
  inventoryAnswerSeconds: setting('CURTAIL_INVENTORY_ANSWER_SECONDS', wholeNumber({ min: 1, max: 10 }), {
    default: 5,
    help: 'How long a scheduler has to answer a request for eviction, in seconds',
  }),
  inventoryMaxDropPercent: setting('CURTAIL_INVENTORY_MAX_DROP_PERCENT', wholeNumber({ min: 1, max: 100 }), {
    default: 30,
    help: 'A listing that would remove more of the running allocations, in percent of more than 20, is held until a second one confirms it',
  }),
};
export type ClusterSettings = SettingsOf<typeof clusterSettings>;
