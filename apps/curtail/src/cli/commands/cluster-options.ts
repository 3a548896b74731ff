import { type Command, Option } from 'commander';

/** The options that say which cluster Curtail governs, and how: of `start`, and of `doctor`, which checks the same. */
export function withClusterOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--mode <mode>',
        'observe: evict nothing, whatever mode a partition has; enforce: no limit (CURTAIL_MODE)',
      ).choices(['observe', 'enforce']),
    )
    .addOption(
      new Option(
        '--cluster <kind>',
        'the cluster to enforce quotas in (CURTAIL_CLUSTER); default: simulated; with kubernetes and yarn the default mode is observe',
      ).choices(['simulated', 'inventory', 'kubernetes', 'yarn']),
    )
    .option('--kubeconfig <file>', 'the kubeconfig, for Kubernetes (CURTAIL_KUBECONFIG)')
    .option('--context <name>', 'the context of the kubeconfig, for Kubernetes (CURTAIL_KUBERNETES_CONTEXT)')
    .addOption(
      new Option(
        '--queues <source>',
        'where queues and quotas of Kubernetes come from (CURTAIL_KUBERNETES_QUEUES); default: namespaces',
      ).choices(['namespaces', 'yunikorn']),
    )
    .option('--yunikorn-url <address>', 'the address of the REST API of YuniKorn (CURTAIL_YUNIKORN_URL)')
    .option(
      '--yarn-url <address>',
      'the address of the ResourceManager of YARN, of several all, with commas in between (CURTAIL_YARN_URL)',
    )
    .option('--yarn-user <name>', 'the user to call YARN as (CURTAIL_YARN_USER)')
    .option(
      '--yarn-settings <file>',
      'a file with what YARN has no key for, such as delays (CURTAIL_YARN_SETTINGS)',
    )
    .option(
      '--settings <file>',
      'a file of NAME=value lines; the environment takes precedence (CURTAIL_SETTINGS)',
    );
}

/** Where a Curtail in one process keeps its data, and where it listens. */
export function withPlaceOptions(command: Command): Command {
  return command
    .option('--data <folder>', 'folder of the database (CURTAIL_DATA); default: ./.curtail')
    .option('--host <address>', 'address to listen on (CURTAIL_HOST); default: 127.0.0.1')
    .option('--port <number>', 'port to listen on, 0 takes a free one (CURTAIL_PORT); default: 8080');
}
