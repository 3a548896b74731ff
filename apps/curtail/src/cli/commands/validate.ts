import { Option } from 'commander';
import type { Register } from './command.js';

/** `curtail validate`: what is wrong with a configuration, and where. docs/reference/cli.md */
export const validate: Register = (program, act) => {
  program
    .command('validate')
    .argument('[files...]', 'configurations')
    .summary('check configurations')
    .description('Checks configurations: every problem with its line and column, and what would be right.')
    .option('--batch <file>', 'one {"format", "config"} a line as JSON; one result a line comes out')
    .addOption(
      new Option('--format <format>', 'what the files are written for')
        .choices(['yunikorn'])
        .default('yunikorn'),
    )
    .option('--snapshot <file>', 'a cluster snapshot: warn of resource types that nothing in it has')
    .option('--no-delay-inheritance', 'queues do not take over the delay of the queue above')
    .addHelpText(
      'after',
      '\nExample:\n  curtail validate queues.yaml\n  curtail validate staging/*.yaml -o json',
    )
    .action(act(() => import('../actions/validate.js')));
};
