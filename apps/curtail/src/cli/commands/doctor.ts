import { withClusterOptions, withPlaceOptions } from './cluster-options.js';
import type { Register } from './command.js';
import { example } from './online.js';

/** `curtail doctor`: checks whether Curtail can manage a Kubernetes cluster from here. docs/reference/cli.md */
export const doctor: Register = (program, act) => {
  const command = program
    .command('doctor')
    .summary('check whether Curtail can manage a cluster of Kubernetes or YARN, and what is missing')
    .description(
      'Checks the connection to the API server, its version, rights, clocks, quotas, disruption budgets, Kafka, Curtail, and schedulers that would ' +
        'interfere. With --cluster yarn: the ResourceManager, its version, rights, clock, nodes, queues and own preemption, and Curtail. It changes nothing. It has the options of `start` that are about the cluster and the place, and reads the same settings; exit ' +
        'status 1 if something needs attention.',
    )
    .option('--enforce', 'check what is needed to evict, too: the same as --mode enforce')
    .option('--manifest', 'print only the roles that grant every right of the mode, for kubectl apply -f -');
  withPlaceOptions(withClusterOptions(command)).action(act(() => import('../actions/doctor.js')));
  example(
    command,
    'curtail doctor --context production',
    'curtail doctor --queues yunikorn --yunikorn-url http://127.0.0.1:9080',
    'curtail doctor --enforce -o json',
    'curtail doctor --enforce --manifest',
    'curtail doctor --cluster yarn --yarn-url http://rm.example:8088 --yarn-user curtail',
  );
};
