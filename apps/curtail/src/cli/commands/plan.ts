import { Option } from 'commander';
import { anotherOne, duration, lowerCase } from '../input/arguments.js';
import type { Register } from './command.js';
import { formats } from './formats.js';
import { queueOption } from './online.js';

/** `curtail plan`: a planner's decision, offline or for the cluster of a running Curtail. docs/reference/cli.md */
export const plan: Register = (program, act) => {
  program
    .command('plan')
    .summary('work out which allocations would be evicted, and why')
    .description(
      'Works out which allocations would be evicted under the policy of the trigger, and why. With a state dump of YuniKorn: by a configuration ' +
        'or by quotas that are not in force yet, for all queues at once. Exit status 1 if any would be.',
    )
    .option('--input <file>', 'one {snapshot, trigger, settings} as JSON')
    .option('--batch <file>', 'one such object per line; prints one plan per line, in the same order')
    .option(
      '--statedump <file>',
      'a full state dump of YuniKorn: the answer of /ws/v1/fullstatedump (curl -L)',
    )
    .option('-f, --file <path>', 'with --statedump: the queues.yaml to try, or its ConfigMap', anotherOne)
    .option(
      '--max <queue type=quantity...>',
      'with --statedump: limits of a queue to try, such as root.research memory=120G; others stay. May be repeated',
      anotherOne,
    )
    .option(
      '--delay <time>',
      'with -f or --max: a delay such as 10m, for queues that have none; enforcement counts as on',
      duration,
    )
    .option('--allow-difference', 'plan although the dump lists other allocations than its queues have')
    .addOption(new Option('--format <format>', 'with -f: its format; default: detected').choices(formats))
    .option('--allow-unknown', 'with -f: keys that Curtail does not know are warnings, not errors')
    .addOption(
      queueOption(
        'the queue to bring down to its max: in the state dump, or, without a file, in a running Curtail',
      ),
    )
    .option(
      '--partition <name>',
      'the partition of --queue or of the state dump (CURTAIL_PARTITION)',
      lowerCase,
    )
    .option('--explain', 'explain why each other allocation is spared')
    .addHelpText(
      'after',
      '\nExample:\n  curtail plan --input case.json --explain -o wide\n  curtail plan --statedump dump.json -f new-queues.yaml\n  curtail plan --statedump dump.json --max root.research memory=120G\n  curtail plan --statedump dump.json --queue root.research\n  curtail plan --queue root.research',
    )
    .action(act(() => import('../actions/plan.js')));
};
