import { Option } from 'commander';
import { anotherOne, durationArgument, lowerCase } from '../input/arguments.js';
import { example, partitionOption, queueOption, type Register } from './command.js';
import { filesArgument, formats } from './words.js';

const yarnUrl = [
  '--yarn-url <address>',
  'the state of the cluster of a ResourceManager of YARN; of several the addresses of all, with commas in between',
] as const;
const yarnAnswers = [
  '--yarn-answers <path...>',
  'saved answers of a ResourceManager, as files or as a folder of files .json: scheduler, nodes, apps, the containers of each application, scheduler-conf',
] as const;
const yarnUser = ['--yarn-user <name>', 'the user to call YARN as (CURTAIL_YARN_USER)'] as const;
const yarnSettings = [
  '--yarn-settings <file>',
  'a file with what YARN has no key for, such as delays (CURTAIL_YARN_SETTINGS)',
] as const;

const ytsaurusOptions = [
  [
    '--ytsaurus-url <address>',
    'the pool tree of a YTsaurus, by the address of a proxy: a round of fair-share; with -f pool trees to try',
  ],
  [
    '--ytsaurus-answers <path...>',
    'saved answers of the HTTP API of YTsaurus, as files or as a folder of files .json',
  ],
  [
    '--ytsaurus-token-file <file>',
    'a file with the token to call YTsaurus with (CURTAIL_YTSAURUS_TOKEN_FILE)',
  ],
  [
    '--ytsaurus-tree <name>',
    'the pool tree (CURTAIL_YTSAURUS_TREE); default: the default tree of the cluster',
  ],
] as const;

/** `curtail plan`: a planner's decision, offline or for the cluster of a running Curtail. docs/reference/cli.md */
export const plan: Register = (program, act) => {
  const command = program
    .command('plan')
    .summary('work out which allocations would be evicted, and why')
    .description(
      'Works out which allocations would be evicted under the policy of the trigger, and why. With a state of a cluster (a state dump of YuniKorn, a ResourceManager of YARN, a pool tree of YTsaurus, or saved answers of these): by a configuration ' +
        'or by quotas that are not in force yet, for all queues at once. Exit status 1 if any would be.',
    )
    .option('--input <file>', 'one {snapshot, trigger, settings} as JSON')
    .option('--batch <file>', 'one such object per line; prints one plan per line, in the same order')
    .option(
      '--statedump <file>',
      'a full state dump of YuniKorn: the answer of /ws/v1/fullstatedump (curl -L)',
    )
    .option(...yarnUrl)
    .option(...yarnAnswers)
    .option(...yarnUser)
    .option(...yarnSettings);
  for (const [flags, meaning] of ytsaurusOptions) command.option(flags, meaning);
  command
    .option('--snapshot', 'print the snapshot of the cluster for --input, in place of a plan')
    .option(
      '-f, --file <path>',
      'for a state of a cluster: the queues.yaml to try, or its ConfigMap; for YARN the capacity-scheduler.xml',
      anotherOne,
    )
    .option(
      '--max <queue type=quantity...>',
      'for a state of a cluster: limits of a queue to try, such as root.research memory=120G; others stay. May be repeated',
      anotherOne,
    )
    .option(
      '--delay <time>',
      'with -f or --max: a delay such as 10m, for queues that have none; enforcement counts as on',
      durationArgument,
    )
    .option('--allow-difference', 'plan although the state lists other allocations than its queues have')
    .addOption(new Option('--format <format>', 'with -f: its format; default: detected').choices(formats))
    .option('--allow-unknown', 'with -f: keys that Curtail does not know are warnings, not errors')
    .addOption(
      queueOption(
        'the queue to bring down to its max: in the state of a cluster, or, without one, in a running Curtail',
      ),
    )
    .option('--partition <name>', 'the partition of --queue or of the state (CURTAIL_PARTITION)', lowerCase)
    .option('--explain', 'explain why each other allocation is spared')
    .addHelpText(
      'after',
      '\nExample:\n  curtail plan --input case.json --explain -o wide\n  curtail plan --statedump dump.json -f new-queues.yaml\n  curtail plan --statedump dump.json --max root.research memory=120G\n  curtail plan --statedump dump.json --queue root.research\n  curtail plan --queue root.research\n  curtail plan --yarn-url http://rm.example:8088 --yarn-user curtail --queue root.dev\n  curtail plan --yarn-answers answers -f capacity-scheduler.xml --delay 10m\n  curtail plan --ytsaurus-url http://yt.example --ytsaurus-token-file token --ytsaurus-tree physical',
    )
    .action(act(() => import('../actions/plan.js')));
};

/** `curtail timeline`: the clock of one queue, replayed. docs/reference/cli.md */
export const timeline: Register = (program, act) => {
  program
    .command('timeline')
    .summary('replay the clock of a queue step by step')
    .description(
      'Replays the clock of one queue: when an enforcement is due after each step, and when one starts.',
    )
    .option('--input <file>', 'one timeline as JSON')
    .option('--batch <file>', 'one timeline per line; prints one result per line, in the same order')
    .addHelpText('after', '\nExample:\n  curtail timeline --input clock.json -o table')
    .action(act(() => import('../actions/timeline.js')));
};

/** `curtail what-if`: compares proposed configurations against the current allocations. docs/reference/cli.md */
export const whatIf: Register = (program, act) => {
  example(
    program
      .command('what-if')
      .summary('compare proposed configurations or quotas, without changing anything')
      .description(
        'Compares configurations of files, or quotas, with the one in force: victims by queue, owner and application, the work they lose, what stays ' +
          'above its quota, and the lowest quota that needs no victim. With a state of a cluster (a state dump of YuniKorn, a ResourceManager of YARN or its saved answers) it needs no server. Exit status 1 if any would evict.',
      )
      .addArgument(filesArgument('what-if'))
      .option(
        '-f, --file <path>',
        'a configuration, as for apply; - for standard input. May be repeated, up to five',
        anotherOne,
      )
      .option('--yarn-site <file>', 'the yarn-site.xml beside the files that are a capacity-scheduler.xml')
      .addOption(new Option('--format <format>', 'format of the files; default: detected').choices(formats))
      .option('--allow-unknown', 'keys of queues.yaml that Curtail does not know are warnings, not errors')
      .addOption(queueOption('the queue whose quota to try, in place of files'))
      .option(
        '--max <type=quantity...>',
        'with --queue: limits to try, such as memory=120G; others stay. Behind another queue: of that, as in --max root.team vcore=8. May be repeated',
        anotherOne,
      )
      .option(
        '--delay <time>',
        'a delay such as 10m, for queues that have none; enforcement then counts as on',
        durationArgument,
      )
      .option(
        '--statedump <file>',
        'compare with a full state dump of YuniKorn, without a server: the answer of /ws/v1/fullstatedump (curl -L)',
      )
      .option(...yarnUrl)
      .option(...yarnAnswers)
      .option(...yarnUser)
      .option(...yarnSettings)
      .option('--allow-difference', 'use a state that lists other allocations than its queues have')
      .addOption(partitionOption())
      .action(act(() => import('../actions/what-if.js'))),
    'curtail what-if --queue root.research --max memory=120G',
    'curtail what-if proposal-a.yaml proposal-b.yaml',
    'curtail what-if --statedump dump.json -f new-queues.yaml',
  );
};
