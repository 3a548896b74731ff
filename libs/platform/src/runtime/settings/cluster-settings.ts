import { oneOf } from '../../settings/kinds.js';
import { setting } from '../../settings/setting.js';

export const clusterSettings = {
  cluster: setting('CURTAIL_CLUSTER', oneOf(['simulated']), {
    default: 'simulated',
    help: 'The cluster that is watched over',
  }),
};
