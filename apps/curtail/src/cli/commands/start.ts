import { setFlagsFromString } from 'node:v8';
import { type Command, Option } from 'commander';
import { example, type Register } from './command.js';

/** The options that say which cluster Curtail governs, and how: of `start`, and of `doctor`, which checks the same. */
function withClusterOptions(command: Command): Command {
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
        'the cluster to enforce quotas in (CURTAIL_CLUSTER); default: simulated; with kubernetes, yarn and ytsaurus the default mode is observe',
      ).choices(['simulated', 'inventory', 'kubernetes', 'yarn', 'ytsaurus']),
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
      '--ytsaurus-url <address>',
      'the address of a proxy of YTsaurus, of several all, with commas in between (CURTAIL_YTSAURUS_URL)',
    )
    .option(
      '--ytsaurus-token-file <file>',
      'a file with the token to call YTsaurus with (CURTAIL_YTSAURUS_TOKEN_FILE)',
    )
    .option(
      '--ytsaurus-tree <name>',
      'the pool tree, also the name of its partition (CURTAIL_YTSAURUS_TREE); default: the default tree of the cluster',
    )
    .option(
      '--ytsaurus-delay <duration>',
      'after which a lowered resource_limits is enforced (CURTAIL_YTSAURUS_DELAY); default: at once',
    )
    .option(
      '--settings <file>',
      'a file of NAME=value lines; the environment takes precedence (CURTAIL_SETTINGS)',
    );
}

/** Where a Curtail in one process keeps its data, and where it listens. */
function withPlaceOptions(command: Command): Command {
  return command
    .option('--data <folder>', 'folder of the database (CURTAIL_DATA); default: ./.curtail')
    .option('--host <address>', 'address to listen on (CURTAIL_HOST); default: 127.0.0.1')
    .option('--port <number>', 'port to listen on, 0 takes a free one (CURTAIL_PORT); default: 8080');
}

/** `curtail start`: everything in one process. docs/reference/cli.md */
export const start: Register = (program, act) => {
  const run = act(() => {
    // What a start loads stays. V8 would take it for a load under which the part of the heap for new objects has to grow, and keep 30 MB
    // for good; `collectSeldom` lets it grow again.
    setFlagsFromString('--semi-space-growth-factor=1');
    return import('../actions/start.js');
  });
  const command = program
    .command('start')
    .summary('run Curtail, everything in one process')
    .description(
      'Runs Curtail, everything in one process: its database in a folder, the agent of its cluster, the HTTP API. Ctrl-C stops it.',
    );
  withPlaceOptions(command)
    .option('--socket <path>', 'Unix socket to listen on besides, for its owner alone (CURTAIL_SOCKET)')
    .option(
      '--scenario <file>',
      'play a scenario (docs/reference/scenarios.md) and keep running; leaves the sample out',
    )
    .option('--no-sample', 'leave an empty cluster empty (CURTAIL_SAMPLE=no)');
  withClusterOptions(command)
    .helpOption(false)
    .option('-h, --help', 'display help for command, with every environment variable');
  example(command, 'curtail start --port 9090 --data /var/lib/curtail', 'curtail start --help');
  command.action(async (options: { help?: boolean }, ...rest) => {
    if (!options.help) return run(options, ...rest);
    // The settings load the service, which no other help needs.
    const { settingsHelp } = await import('../actions/start.js');
    command.addHelpText('after', settingsHelp()).outputHelp();
  });
};

/** `curtail doctor`: checks whether Curtail can manage a Kubernetes cluster from here. docs/reference/cli.md */
export const doctor: Register = (program, act) => {
  const command = program
    .command('doctor')
    .summary(
      'check whether Curtail can manage a cluster of Kubernetes, YARN or YTsaurus, and what is missing',
    )
    .description(
      'Checks the connection to the API server, its version, rights, clocks, quotas, disruption budgets, Kafka, Curtail, and schedulers that would ' +
        'interfere. With --cluster yarn: the ResourceManager, its version, rights, clock, nodes, queues and own preemption, and Curtail. With --cluster ytsaurus: the proxy, its clock, token, scheduler, pool tree, nodes and rights, and Curtail. It changes nothing. It has the options of `start` that are about the cluster and the place, and reads the same settings; exit ' +
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
    'curtail doctor --cluster ytsaurus --ytsaurus-url http://yt.example --ytsaurus-token-file token',
  );
};
