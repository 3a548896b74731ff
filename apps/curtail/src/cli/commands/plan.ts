import { lowerCase } from '../input/arguments.js';
import type { Register } from './command.js';
import { queueOption } from './online.js';

/** `curtail plan`: a planner's decision, offline or for the cluster of a running Curtail. docs/reference/cli.md */
export const plan: Register = (program, act) => {
  program
    .command('plan')
    .summary('work out which allocations would be evicted, and why')
    .description('Works out which allocations would be evicted under the policy of the trigger, and why.')
    .option('--input <file>', 'one {snapshot, trigger, settings} as JSON')
    .option('--batch <file>', 'one such object per line; prints one plan per line, in the same order')
    .option(
      '--statedump <file>',
      'a full state dump of YuniKorn: the answer of /ws/v1/fullstatedump (curl -L)',
    )
    .addOption(
      queueOption(
        'the queue to bring down to its max: in the state dump, or, without a file, in a running Curtail',
      ),
    )
    .option('--partition <name>', 'the partition of --queue (CURTAIL_PARTITION)', lowerCase)
    .option('--explain', 'explain why each other allocation is spared')
    .addHelpText(
      'after',
      '\nExample:\n  curtail plan --input case.json --explain -o wide\n  curtail plan --statedump dump.json --queue root.research\n  curtail plan --queue root.research',
    )
    .action(act(() => import('../actions/plan.js')));
};
