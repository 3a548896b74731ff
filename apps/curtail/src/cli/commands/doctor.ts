import type { Register } from './command.js';
import { example } from './online.js';

/** `curtail doctor`: checks whether Curtail can manage a Kubernetes cluster from here. docs/reference/cli.md */
export const doctor: Register = (program, act) => {
  example(
    program
      .command('doctor')
      .summary('check whether Curtail can manage a Kubernetes cluster, and what is missing')
      .description(
        'Checks the connection to the API server, its version, rights, clocks, quotas, disruption budgets, Kafka, Curtail, and schedulers that would ' +
          'interfere. It changes nothing. It reads the settings that `start` and the agent read; exit status 1 if something needs attention.',
      )
      .option(
        '--kubeconfig <file>',
        'the kubeconfig with the API server and the credentials (CURTAIL_KUBECONFIG)',
      )
      .option('--context <name>', 'the context of the kubeconfig (CURTAIL_KUBERNETES_CONTEXT)')
      .option('--enforce', 'check what is needed to evict, too (CURTAIL_MODE=enforce)')
      .option('--manifest', 'print only the roles that grant every right of the mode, for kubectl apply -f -')
      .action(act(() => import('../actions/doctor.js'))),
    'curtail doctor --context production',
    'curtail doctor --enforce -o json',
    'curtail doctor --enforce --manifest',
  );
};
